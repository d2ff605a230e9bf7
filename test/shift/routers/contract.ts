import Ajv2020 from 'ajv/dist/2020';
import { formatProblem as sentence } from '../../../lib/core/validation';
import { problemsOf } from '../../../lib/core/validation/schema';
import type { JsonSchema, Schema } from '../../../lib/core/validation/schema';
import type { AwsClients } from '../../../lib/core/aws/clients';
import type { RouterKind } from '../../../lib/shift/routers/router-kind';
import { routerSlotSchema } from '../../../lib/shift/routers/route';
import type { RouterFake } from './fakes';

const ajv = new Ajv2020({ strict: true, strictTypes: false });

const strange = [null, true, 1, -1, '', 'x', '?', 'x'.repeat(2_000), [], ['x'], {}, { x: 1 }];

/** What a kind of router lacks, in sentences. */
export function flaws(
  name: string,
  kind: RouterKind,
  { settings, slots }: Pick<RouterFake, 'settings' | 'slots'>,
  docs: string,
): readonly string[] {
  return [
    ...(/^[^\n]*[^\n.]$/.test(kind.title) ? [] : ['title: is not one line without a full stop']),
    ...(['http', 'connections', 'names'].includes(kind.layer) ? [] : [`layer: there is no ${kind.layer}`]),
    ...schemaFlaws('settings', kind.settings, settings),
    ...slotFlaws(kind, slots.blue),
    ...permissionFlaws(kind, settings),
    ...openFlaws(kind, { settings, slots }),
    ...docsFlaws(name, kind, docs),
  ];
}

/** Unknown keys are refused with the nearest one, the least is enough, and the JSON Schema says the same. */
export function schemaFlaws(path: string, schema: Schema, least: object): readonly string[] {
  const validate = ajv.compile(schema.json);
  const json = (value: unknown): boolean => validate(value);
  const parser = (value: unknown): boolean => problemsOf(schema, value).length === 0;
  const { properties = {}, required = [] } = schema.json;
  const found: string[] = [];
  const agree = (what: string, value: unknown): void => {
    if (json(value) !== parser(value)) {
      found.push(`${path}: ${what}: the JSON Schema says ${json(value)}, the parser says ${parser(value)}`);
    }
  };
  const [first = ''] = Object.keys(properties);
  const typo = `${first.slice(0, -1)}x`;
  const told = problemsOf(schema, { ...least, [typo]: 'secret' }).map((problem) => sentence(problem));
  if (told.length !== 1 || !told[0]!.startsWith(`${typo}: unknown key, did you mean "${first}"?`)) {
    found.push(`${path}: ${typo} is answered with ${JSON.stringify(told)}`);
  }
  if (!parser(least)) {
    found.push(`${path}: what is said to be enough is refused`);
  }
  if (Object.keys(least).sort().join() !== [...required].sort().join()) {
    found.push(
      `${path}: the least is ${required.join(', ')}, and the test gives ${Object.keys(least).join(', ')}`,
    );
  }
  agree('the least', least);
  agree('an unknown key', { ...least, [typo]: 1 });
  strange.forEach((value) => agree(JSON.stringify(value), value));
  for (const key of Object.keys(properties)) {
    const { [key]: _left, ...others } = least as Readonly<Record<string, unknown>>;
    agree(`without ${key}`, others);
    strange.forEach((value) =>
      agree(`${key} ${JSON.stringify(value).slice(0, 40)}`, { ...least, [key]: value }),
    );
  }
  return found;
}

function slotFlaws(kind: RouterKind, value: string): readonly string[] {
  const { slot } = kind;
  if (slot === undefined) {
    return [];
  }
  const least = slot.isOptional ? {} : { [slot.field]: value };
  const accepted = problemsOf(routerSlotSchema(kind), { [slot.field]: value }).length === 0;
  return [
    ...(slot.field === 'clusterName' ? ['slot: clusterName is of every slot'] : []),
    ...(accepted ? [] : [`slot: ${value} is refused`]),
    ...schemaFlaws('slot', routerSlotSchema(kind), least),
  ];
}

/** Each action is named in full, and only what reads is for everything. */
function permissionFlaws(kind: RouterKind, settings: object): readonly string[] {
  return (kind.permissions?.(settings) ?? []).flatMap(({ Sid, Effect, Action, Resource }) => {
    const reads = Action.every((action) => /:(Describe|List|Get)[A-Za-z]+$/.test(action));
    const arns = typeof Resource === 'string' ? [Resource] : Resource;
    return [
      ...(/^[A-Za-z0-9]+$/.test(Sid) && Effect === 'Allow' ? [] : [`permissions: ${Sid}: ${Effect}`]),
      ...Action.filter((action) => !/^[a-z0-9-]+:[A-Z][A-Za-z0-9]+$/.test(action)),
      ...arns.filter((arn) => !(arn === '*' ? reads : /^arn:aws[a-z-]*:[^*]/.test(arn))),
    ].map((flaw) => (flaw.startsWith('permissions') ? flaw : `permissions: ${Sid}: ${flaw}`));
  });
}

/** To open is to ask nobody; what it is about is known by then. */
function openFlaws(
  kind: RouterKind,
  { settings, slots }: Pick<RouterFake, 'settings' | 'slots'>,
): readonly string[] {
  const used: string[] = [];
  const clients = new Proxy({} as AwsClients, {
    get: (_target, name) => {
      used.push(String(name));
      return () => Promise.reject(new Error('asked'));
    },
  });
  const { id, name, subject } = kind.open(settings, slots, { clients, instance: 'plan' });
  return [
    ...used.map((service) => `open: asks ${service}`),
    ...(id === '' || name === '' ? ['open: the router has no id or no name'] : []),
    ...(subject.layer === kind.layer ? [] : [`open: the layer is ${subject.layer}`]),
    ...(Object.keys(subject.slots).join() === Object.keys(slots).join()
      ? []
      : ['open: the slots are others']),
  ];
}

/** A row of what the router keeps or needs, where it asks somebody; else a word of it. */
function docsFlaws(name: string, kind: RouterKind, docs: string): readonly string[] {
  const named = new RegExp(String.raw`\`${name}\b`);
  const isThere = kind.permissions
    ? docs.split('\n').some((line) => line.startsWith('|') && named.test(line))
    : named.test(docs);
  return isThere ? [] : [`docs/shift.md: has no row of \`${name}\``];
}

/** What the JSON Schema of plan files says of a kind. */
export function planned(
  schema: { readonly $defs: Readonly<Record<string, JsonSchema>> },
  name: string,
): JsonSchema | undefined {
  return schema.$defs.router?.properties?.[name];
}
