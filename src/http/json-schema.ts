export type JsonSchema = { readonly [key: string]: unknown };
