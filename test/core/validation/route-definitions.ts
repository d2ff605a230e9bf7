import type { JsonSchema } from '../../../lib/core/validation/schema';
import { routerKinds } from '../../../lib/shift/routers/registry';
import type { RouterKind } from '../../../lib/shift/routers/router-kind';
import { slotCount, routerSlotSchema } from '../../../lib/shift/routers/route';
import { described, describedTable } from './described-schema';

/** What the JSON Schema of a plan file says of routers and slots. */
export function routeDefinitions(
  kinds: Readonly<Record<string, RouterKind>> = routerKinds as Readonly<Record<string, RouterKind>>,
): Readonly<Record<string, object>> {
  const settings = Object.entries(kinds).map(([name, kind]) => [name, kind.settings.json] as const);
  const described = describedTable(
    Object.fromEntries(settings),
    'lib/shift/routers/registry.ts',
    'routerKinds',
    'settings',
  );
  return {
    router: {
      description: 'What holds the weights: exactly one of these.',
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(
        Object.entries(described).map(([name, json]) => [
          name,
          orNothing({ description: `${capital(kinds[name]!.title)}.`, ...json }),
        ]),
      ),
      minProperties: 1,
      maxProperties: 1,
    },
    slots: {
      description: `${slotCount.min} to ${slotCount.max} slots by name.`,
      type: 'object',
      minProperties: slotCount.min,
      maxProperties: slotCount.max,
      propertyNames: { $ref: '#/$defs/label' },
      additionalProperties: { anyOf: [{ $ref: '#/$defs/slot' }, { type: 'null' }] },
    },
    slot: slotOf(Object.values(kinds)),
  };
}

/** A slot of whichever router: which of them wants what, its own schema and the command say. */
function slotOf(kinds: readonly RouterKind[]): JsonSchema {
  const fields = kinds.flatMap(({ slot }) => (slot ? [slot] : []));
  const own = fields.map(({ field, title, value }) => [
    field,
    { description: `${capital(title)}.`, ...value.json },
  ]);
  const { required: _none, ...json } = routerSlotSchema({ layer: 'http' }).json;
  const { clusterName, preview } = json.properties!;
  return {
    ...json,
    properties: {
      ...Object.fromEntries(own),
      clusterName: {
        description: 'Name of the EKS cluster, which is its name in Argo CD, too.',
        ...clusterName,
      },
      preview: {
        description: 'What leads to the slot past the weights, where the router is one of requests.',
        ...described(preview!, 'lib/shift/engine/check.ts', 'SlotPreview'),
      },
    },
  };
}

/** Settings that may all be left out may be left out as a whole: `simulated:`. */
function orNothing(json: JsonSchema): object {
  return json.required ? json : { anyOf: [json, { type: 'null' }] };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
