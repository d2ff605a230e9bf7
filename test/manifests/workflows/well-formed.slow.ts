import * as fc from 'fast-check';
import type { ShiftWorkflowProps, WorkflowPlan } from '../../../lib/manifests/workflows';
import { atHand, specErrors } from './argo-definitions';
import { image, objectsOf, wavesPlan } from './plans';
import { scaled } from '../../runs';

const names = ['eu', 'us', 'ap', 'me', 'sa'];

const plans: fc.Arbitrary<WorkflowPlan> = fc
  .record({
    order: fc.shuffledSubarray(names, { minLength: 1 }),
    cuts: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
    rollBack: fc.constantFrom(undefined, 'wave' as const, 'all' as const),
    pause: fc.option(fc.array(fc.integer({ min: 0, max: 99 }), { maxLength: 3 }), { nil: undefined }),
    onFailure: fc.constantFrom(undefined, 'hold' as const, 'rollback' as const, { rollbackTo: 'blue' }),
    onInterrupt: fc.constantFrom(undefined, 'hold' as const, 'rollback' as const),
  })
  .map(({ order, cuts, rollBack, pause, onFailure, onInterrupt }) => {
    const waves = order.reduce<string[][]>((all, name, index) => {
      const last = all.at(-1);
      return last === undefined || cuts[index] ? [...all, [name]] : [...all.slice(0, -1), [...last, name]];
    }, []);
    return wavesPlan(waves, { rollBack, shift: { pause, onFailure, onInterrupt } });
  });

const propsOf: fc.Arbitrary<Partial<ShiftWorkflowProps>> = fc.record(
  {
    plan: plans,
    start: fc.constantFrom('once' as const, 'byHand' as const),
    window: fc.record({
      from: fc.integer({ min: 0, max: 11 }),
      to: fc.integer({ min: 12, max: 24 }),
      timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
    }),
    parallelism: fc.integer({ min: 1, max: 100 }),
    retries: fc.integer({ min: 0, max: 9 }),
    secretFolders: fc.constant({ '/etc/kubeconfigs': 'kubeconfigs' }),
    env: fc.constant({ A: 'b' }),
    secrets: fc.constant({ KEY: { secret: 'keys', key: 'a' } }),
    deadline: fc.constantFrom('1h', '36h'),
    networkPolicy: fc.boolean(),
    user: fc.constantFrom(1000, 65_532),
  },
  { requiredKeys: ['plan'] },
);

const specOf = (objects: any[], kind: string): any => objects.find((object) => object.kind === kind)?.spec;

test('whatever the options: a DAG without gaps and circles, whose every task counts', () => {
  fc.assert(
    fc.property(propsOf, (props) => {
      const { templates, entrypoint } = specOf(objectsOf(props), 'WorkflowTemplate');
      const record = new Map<string, any>(templates.map((template: any) => [template.name, template]));
      expect(record.size).toBe(templates.length);
      const used = new Set([entrypoint]);
      for (const { dag, steps } of templates) {
        for (const { template } of [...(dag?.tasks ?? []), ...(steps?.flat() ?? [])]) {
          expect([...record.keys()]).toContain(template);
          used.add(template);
        }
      }
      expect([...record.keys()].filter((name) => !used.has(name))).toEqual([]);
      const { tasks, target } = record.get('main').dag;
      expect(target.split(' ')).toEqual(tasks.map(({ name }: any) => name));
      const needs = new Map<string, string[]>(
        tasks.map(({ name, depends = '' }: any) => [
          name,
          depends === '' ? [] : depends.split(' || ').map((term: string) => term.split('.')[0]),
        ]),
      );
      // What has all that it needs can go away, until nothing is left.
      for (let left = needs.size; needs.size > 0; left = needs.size) {
        for (const [name, wanted] of needs) {
          expect(wanted.every((each) => target.split(' ').includes(each))).toBe(true);
          if (wanted.every((each) => !needs.has(each))) {
            needs.delete(name);
          }
        }
        expect(needs.size).toBeLessThan(left);
      }
    }),
    { numRuns: scaled(150) },
  );
});

test('whatever the options: every route shifts once between two pauses, in the order of the waves', () => {
  fc.assert(
    fc.property(propsOf, (props) => {
      const plan = props.plan!;
      const { templates } = specOf(objectsOf(props), 'WorkflowTemplate');
      const pauses = new Set(plan.shift?.pause).size;
      const shifts: string[][] = templates
        .filter(({ name, dag }: any) => dag && /^wave-\d+(-beyond-\d+)?$/.test(name))
        .map(({ dag }: any) => dag.tasks.map((task: any) => task.arguments.parameters[0].value));
      const wanted = plan.waves!.flatMap((wave) => Array.from({ length: pauses + 1 }, () => wave));
      expect(shifts).toEqual(wanted);
    }),
  );
});

(atHand ? test : test.skip)('whatever the options: the objects fit the definitions of Argo Workflows', () => {
  const errorsOf = specErrors('workflowtemplates.yaml');
  expect(errorsOf({ entrypoint: 'main', nonsense: 1 }).join()).toMatch(/nonsense/);
  expect(errorsOf({ templates: [{ name: 'x', suspend: { duration: 1 } }] }).join()).toMatch(/duration/);
  fc.assert(
    fc.property(propsOf, (props) => {
      const objects = objectsOf(props);
      expect(errorsOf(specOf(objects, 'WorkflowTemplate'))).toEqual([]);
      const run = specOf(objects, 'Workflow') ?? specOf(objects, 'CronWorkflow')?.workflowSpec ?? {};
      expect(errorsOf(run)).toEqual([]);
    }),
    { numRuns: scaled(100) },
  );
});

test('the fields of a CronWorkflow are those of its definition', () => {
  const window = { from: 9, to: 17, timeZone: 'UTC' };
  const spec = specOf(objectsOf({ start: 'once', window, image }), 'CronWorkflow');
  expect(Object.keys(spec).sort()).toEqual([
    'concurrencyPolicy',
    'schedules',
    'startingDeadlineSeconds',
    'stopStrategy',
    'timezone',
    'workflowSpec',
  ]);
});
