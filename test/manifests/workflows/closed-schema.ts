/** The schema of a definition in which unknown fields are errors, as under strict field validation. */
export function closed(schema: any): any {
  const { properties, items, additionalProperties, ...rest } = schema;
  const open = schema['x-kubernetes-preserve-unknown-fields'];
  return {
    ...rest,
    ...(schema['x-kubernetes-int-or-string'] ? { type: ['integer', 'string'] } : {}),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, closed(value)])),
      ...(open ? {} : { additionalProperties: false }),
    }),
    ...(items && { items: closed(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: closed(additionalProperties) }),
  };
}
