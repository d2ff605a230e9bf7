import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Ajv from 'ajv';
import { parseAllDocuments } from 'yaml';

const folder = resolve(__dirname, '../../../shared/crds');

/** The schemas of the custom resource definitions, where they are at hand, by `GROUP/VERSION/KIND`. */
function schemas(): Map<string, any> {
  const found = new Map<string, any>();
  if (!existsSync(folder)) {
    return found;
  }
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((each) =>
    each.endsWith('.yaml'),
  )) {
    for (const document of parseAllDocuments(readFileSync(join(folder, file), 'utf8')) as any[]) {
      const definition = document.toJS();
      for (const version of definition?.kind === 'CustomResourceDefinition' ? definition.spec.versions : []) {
        const { group, names } = definition.spec;
        found.set(`${group}/${version.name}/${names.kind}`, closed(version.schema.openAPIV3Schema));
      }
    }
  }
  return found;
}

/** An API server prunes unknown fields; here they are errors, as under strict field validation. */
function closed(schema: any, top = true): any {
  const { properties, items, additionalProperties, ...rest } = schema;
  const open = schema['x-kubernetes-preserve-unknown-fields'] || schema['x-kubernetes-embedded-resource'];
  return {
    ...rest,
    ...(schema['x-kubernetes-int-or-string'] ? { type: ['integer', 'string'] } : {}),
    ...(schema.nullable ? { type: [schema.type, 'null'] } : {}),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, value]) => [
          key,
          top && key === 'metadata' ? {} : closed(value, false),
        ]),
      ),
      ...(open ? {} : { additionalProperties: false }),
    }),
    ...(items && { items: closed(items, false) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: closed(additionalProperties, false),
    }),
  };
}

const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
const all = schemas();

/** Whether there are definitions to evaluate by. */
export const definitionsAtHand = all.size > 0;

/** What does not fit the definition of its kind; without the definitions nothing is evaluated. */
export function crdErrors(objects: readonly any[]): string[] {
  return objects.flatMap((object) => {
    const schema = all.get(`${object.apiVersion}/${object.kind}`);
    if (!schema || ajv.validate(schema, object)) {
      return [];
    }
    return ajv.errors!.map(
      ({ instancePath, message, params }) =>
        `${object.kind} ${object.metadata.name} ${instancePath}: ${message} ${JSON.stringify(params)}`,
    );
  });
}
