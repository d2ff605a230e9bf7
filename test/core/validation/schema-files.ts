import { resolve } from 'node:path';
import { checkKinds } from '../../../lib/shift/checks';
import type { AnyCheckKind } from '../../../lib/shift/checks';
import { checkJson } from '../../../lib/shift/checks/kinds';
import { lintConfigSchema } from '../../../lib/lint/config';
import { clusterSetSchema } from '../../../lib/manifests/cluster-sync/cluster-set-schema';
import { dnsLabelText } from '../../../lib/core/validation/values';
import { singlePlanSchema, wavesPlanSchema } from '../../../lib/shift/plan-file/plan-schema';
import { swapSchema, swapWavesSchema } from '../../../lib/operate/swap/file/swap-schema';
import { scenarioSchema } from '../../../lib/shift/simulation/scenario-schema';
import { described } from './described-schema';
import { routeDefinitions } from './route-definitions';

/** Where the JSON Schemas are. */
export const schemaFolder = resolve(__dirname, '../../../schemas');

const base = 'https://cluster-canary.example/schemas';

const draft = 'https://json-schema.org/draft/2020-12/schema';

/** The JSON Schemas that are made of schemas in the code, by the name of the file. */
export function schemaFiles(): Readonly<Record<string, object>> {
  return {
    'clusterset.json': {
      $schema: draft,
      $id: `${base}/clusterset.json`,
      title: 'Set of clusters',
      description:
        'A configuration file of `cluster-canary clusters`, as YAML or JSON. Templates and formats of names are checked ' +
        'by the command.',
      ...described(clusterSetSchema.json, 'lib/manifests/cluster-sync/cluster-set.ts', 'ClusterSet'),
      ...ownKeys,
    },
    'lint-config.json': {
      $schema: draft,
      $id: `${base}/lint-config.json`,
      title: 'Configuration of lint and harden',
      description: 'A `cluster-canary.yaml`.',
      ...described(lintConfigSchema.json, 'lib/lint/config.ts', 'LintConfigFile'),
      ...ownKeys,
    },
    'plan.json': planSchema(),
    'scenario.json': {
      $schema: draft,
      $id: `${base}/scenario.json`,
      title: 'Scenario of a simulated shift',
      description:
        'What `cluster-canary simulate --scenario` reads, as YAML or JSON: the traffic, how each slot does, what the ' +
        'metrics show of it, and what else goes wrong. Shares are numbers from 0 to 1, times count from the start of ' +
        'the shift. For editors: the command checks more than a schema can say.',
      ...described(scenarioSchema.json, 'lib/shift/simulation/scenario.ts', 'Scenario'),
      ...ownKeys,
    },
    'swap.json': swapFileSchema(),
  };
}

/** The command leaves these keys of a file out: they are the user's own. */
const ownKeys = { patternProperties: { '^x-': {} } };

/** A swap's: its route and its checks are those of a plan, and what fleets have in common is described once. */
function swapFileSchema(): object {
  const folder = 'lib/operate/swap/file';
  const one = described(swapSchema.json, `${folder}/swap-file.ts`, 'SwapSettings');
  const several = described(swapWavesSchema.json, `${folder}/swap-waves-file.ts`, 'SwapWavesSettings');
  const { route, phases, slots: slotNames, ...common } = one.properties!;
  const asked = Object.entries(phases!.properties!).map(([name, phase]) => {
    const { checks, ...rest } = phase.properties!;
    return checks === undefined
      ? [name, phase]
      : [
          name,
          { ...phase, properties: { ...rest, checks: { ...checks, type: 'array', items: ref('check') } } },
        ];
  });
  // Slots of a route are something else.
  const ofFleet = {
    ...Object.fromEntries(Object.keys(one.properties!).map((key) => [key, ref(key)])),
    slots: ref('slotNames'),
  } as Readonly<Record<string, object>>;
  const ofSeveral = Object.entries(several.properties!).map(([name, each]) => [
    name,
    name === 'fleets' ? { ...each, additionalProperties: ref('oneOfFleets') } : (ofFleet[name] ?? each),
  ]);
  return {
    $schema: draft,
    $id: `${base}/swap.json`,
    title: 'Swap of a fleet, or of several in waves',
    description:
      'What `cluster-canary swap` reads, as YAML or JSON: the version that is wanted, the program that makes the fleet, and ' +
      'how each phase goes. For editors: the command checks more than a schema can say.',
    oneOf: [ref('single'), ref('several')],
    $defs: {
      single: { description: 'A swap of one fleet.', ...one, properties: ofFleet, ...ownKeys },
      several: {
        description: 'Swaps of several fleets, in waves.',
        ...several,
        properties: Object.fromEntries(ofSeveral) as object,
        ...ownKeys,
      },
      oneOfFleets: {
        ...(several.properties!.fleets!.additionalProperties as object),
        description: 'A fleet: what it lacks, the file says for all.',
        properties: ofFleet,
      },
      ...common,
      slotNames: slotNames!,
      route: {
        ...route,
        type: 'object',
        additionalProperties: false,
        required: ['router', 'slots'],
        properties: { router: ref('router'), slots: ref('slots') },
      },
      phases: { ...phases, properties: Object.fromEntries(asked) as object },
      ...routeDefinitions(),
      check: checkDefinition(),
      label: dnsLabelText.json,
    },
  };
}

/** The plan's: routers, slots and checks are described where their kinds are. */
function planSchema(): object {
  const check = checkDefinition();
  const plans = 'lib/shift/plan-file/plan.ts';
  const single = described(singlePlanSchema.json, plans, 'SinglePlanSettings');
  const several = described(wavesPlanSchema.json, plans, 'WavesPlanSettings');
  const { router: _router, slots: _slots, ...common } = single.properties!;
  const { routes } = several.properties!;
  const { shift } = common;
  const { checks } = shift!.properties!;
  const ofRoute = { router: ref('router'), slots: ref('slots') };
  const ofAll = Object.fromEntries(Object.keys(common).map((key) => [key, ref(key)]));
  return {
    $schema: draft,
    $id: `${base}/plan.json`,
    title: 'Plan of a traffic shift',
    description:
      'What `cluster-canary shift` and `cluster-canary simulate` read, as YAML or JSON: weights that are wanted, and the ' +
      'way there. For editors: the commands check more than a schema can say.',
    oneOf: [ref('single'), ref('several')],
    $defs: {
      single: {
        description: 'A plan for one router.',
        ...single,
        properties: { ...ofRoute, ...ofAll },
        ...ownKeys,
      },
      several: {
        description: 'A plan for several routers, in waves.',
        ...several,
        properties: {
          ...several.properties,
          routes: { ...routes, additionalProperties: ref('route') },
          ...ofAll,
        },
        ...ownKeys,
      },
      route: { ...(routes!.additionalProperties as object), properties: ofRoute },
      ...common,
      shift: {
        ...shift,
        properties: { ...shift!.properties, checks: { ...checks, type: 'array', items: ref('check') } },
      },
      ...routeDefinitions(),
      check,
      label: dnsLabelText.json,
    },
  };
}

function checkDefinition(): object {
  const kinds = checkKinds as unknown as Readonly<Record<string, AnyCheckKind>>;
  return described(checkJson(kinds), 'lib/shift/checks/kinds.ts', 'CheckArguments');
}

function ref(name: string): object {
  return { $ref: `#/$defs/${name}` };
}
