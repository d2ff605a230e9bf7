import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Ajv from 'ajv';
import { loadAll } from 'js-yaml';

const folder = resolve(__dirname, '../../../shared/crds');

const files = existsSync(folder)
  ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((each) => each.endsWith('.yaml'))
  : [];

/** The schema of a custom resource definition. They are megabytes: a file is parsed when one of its kinds is asked for. */
function schemaOf(apiVersion: string, kind: string): any {
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const definition of text.includes(`\n    kind: ${kind}\n`) ? (loadAll(text) as any[]) : []) {
      const { group, names, versions } =
        definition?.kind === 'CustomResourceDefinition' ? definition.spec : {};
      const found = versions?.find(({ name }: any) => `${group}/${name}` === apiVersion);
      if (found !== undefined && names.kind === kind) {
        return closed(found.schema.openAPIV3Schema);
      }
    }
  }
  return undefined;
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

// Its optimizations take longer than they save for a handful of objects.
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, code: { optimize: false } });
const known = new Map<string, any>();

/** Whether there are definitions to evaluate by. */
export const definitionsAtHand = files.length > 0;

/** What does not fit the definition of its kind; without the definitions nothing is evaluated. */
export function crdErrors(objects: readonly any[]): string[] {
  return objects.flatMap((object) => {
    const { apiVersion, kind } = object;
    const name = `${apiVersion}/${kind}`;
    if (!known.has(name)) {
      known.set(name, schemaOf(apiVersion, kind));
    }
    const schema = known.get(name);
    if (!schema || ajv.validate(schema, object)) {
      return [];
    }
    return ajv.errors!.map(
      ({ instancePath, message, params }) =>
        `${object.kind} ${object.metadata.name} ${instancePath}: ${message} ${JSON.stringify(params)}`,
    );
  });
}
