// The types of the contract: openapi.yaml as the generators read it.

export interface Schema {
  [keyword: string]: unknown;
  $ref?: string;
  type?: string | string[];
  enum?: (string | number)[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
}
export type Body = { $ref?: string; required?: boolean; content?: Record<string, { schema?: Schema }> };
export type Parameter = {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
  description?: string;
};
export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: [string];
  'x-scope'?: string;
  'x-status'?: string;
  /** Operations with the same name differ only in path, id and summary, and share one route constant. */
  'x-route'?: { name: string; variant: string };
  parameters?: Parameter[];
  requestBody?: Body;
  responses: Record<string, Body>;
}
export interface Spec {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { [kind: string]: Record<string, unknown> } & { schemas: Record<string, Schema> };
}
