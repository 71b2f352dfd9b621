// The logger that the parts of the gateway expect: its methods take an object of fields, then the name of the event.
// Pino's logger has this shape.

type WriteLine = (fields: object, event: string) => void;

export interface Log {
  debug: WriteLine;
  info: WriteLine;
  warn: WriteLine;
  error: WriteLine;
}
