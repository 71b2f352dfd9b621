// The logger as the parts of the gateway use it: an object of fields, then the name of the event. pino's logger has
// this shape.

type WriteLine = (fields: object, event: string) => void;

export interface Log {
  debug: WriteLine;
  info: WriteLine;
  warn: WriteLine;
  error: WriteLine;
}
