import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { shift } from '../../../lib/cli/actions/shift/shift';
import { shiftPlan, runShift } from '../../../lib/shift/engine';
import * as checks from '../../../lib/shift/checks';
import type { AnyCheckKind, CheckSettings } from '../../../lib/shift/checks';
import { checkJson } from '../../../lib/shift/checks/kinds';
import type { ArgumentsIn } from '../../../lib/shift/checks/kinds';
import type * as registered from '../../../lib/shift/checks/registry';
import { openRoute, parsePlan, shiftPermissions } from '../../../lib/shift/plan-file';
import { simulate } from '../../../lib/shift/simulation';
import { FakeClock } from '../engine/world';
import { plainPlan } from '../plan-file/plans';
import { readPage, withTable } from './check-table';
import { contractProblems } from './kind-contract';
import type * as toys from './toy';
import { toysAsked } from './toy';

// The recipe of CONTRIBUTING.md for a check: a file, which is ./toy.ts, and `export { toy } from './toy';` in registry.ts.
jest.mock('../../../lib/shift/checks/registry', () => {
  const lines = {
    ...jest.requireActual('../../../lib/shift/checks/registry'),
    toy: jest.requireActual('./toy').toy,
  };
  return Object.defineProperty(lines, '__esModule', { value: true });
});

/** What `CheckArguments` are with that line. */
type WithToy = ArgumentsIn<typeof registered & Pick<typeof toys, 'toy'>>;

const settings: { readonly toy: WithToy['toy'] } = { toy: { color: 'red', size: 2 } };
const kinds = checks.checkKinds as unknown as Readonly<Record<string, AnyCheckKind>>;

const simulatedPlan = (check: string) => `
router: { simulated: { live: { blue: 100, green: 0 } } }
slots: { blue: {}, green: {} }
weights: { green: 100 }
shift:
  step: 50
  every: 1m
  bake: 0s
  checks:
    - toy: ${check}
`;

test('its settings are typed, and made by a function of its name', () => {
  const { toy } = checks as unknown as typeof toys;
  const made: { readonly toy: WithToy['toy'] } = toy({ color: 'red', size: 2 });
  expect(made).toEqual(settings);
  // @ts-expect-error A color is missing.
  const wrong: WithToy['toy'] = { size: 2 };
  // @ts-expect-error The function says so, too.
  expect(() => toy({ ...wrong, colour: 'red' })).toThrow(
    /checks\.toy[^]*colour: unknown key, did you mean "color"\?; known keys: name, color, size/,
  );
});

test('it keeps the contract, and fails the parts of it that are forgotten', () => {
  expect(Object.keys(kinds)).toContain('toy');
  expect(contractProblems('toy', kinds.toy!, settings.toy as never)).toEqual([]);
  // Its heading in docs/checks.md, which the next steps of the recipe are about.
  const own = { toy: kinds.toy! };
  expect(() => withTable(readPage(), own)).toThrow('docs/checks.md has no heading with `toy`');
  expect(withTable(`${readPage()}\n## \`toy\`\n`, own)).toContain(
    '| [`toy`](#toy) | after | Toys: is one of a color there? |\n',
  );
});

test('a plan file may have it, in the words of its own settings', () => {
  expect(parsePlan(simulatedPlan('{ color: red }'), 'plan.yaml').checks).toEqual([{ toy: { color: 'red' } }]);
  const refusal = (check: string) => () => parsePlan(simulatedPlan(check), 'plan.yaml');
  expect(refusal('{ colr: red, size: 0 }')).toThrow(
    'plan.yaml:10:14 shift.checks[0].toy.colr: unknown key, did you mean "color"?; known keys: name, color, size',
  );
  expect(refusal('{ color: red, size: 0 }')).toThrow('toy.size: 0: must be a number above 0');
  expect(refusal('{ color: green }')).toThrow(
    'toy.color: "green": must be another color than that of a slot',
  );
  expect(refusal('{}')).toThrow('shift.checks[0].toy.color: is required: a color');
});

test('the JSON Schema of plan files has it', () => {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false });
  const accepts = ajv.compile(checkJson(kinds));
  expect([accepts(settings), accepts({ toy: { colr: 'red' } })]).toEqual([true, false]);
});

test('the permissions of a plan are also its own', () => {
  const plan = parsePlan(
    plainPlan.replace(/checks:[^]*?(?=\n\S|$)/, 'checks: [{ toy: { color: red } }]'),
    'a',
  );
  expect(shiftPermissions(plan)).toContainEqual({
    Sid: 'RunChecks',
    Effect: 'Allow',
    Action: ['toys:GetToy'],
    Resource: ['arn:aws:toys:::red'],
  });
});

test('a dry run names it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-recipe-'));
  const printed: string[] = [];
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((text, ...more) => {
    printed.push(String(text));
    more.forEach((each) => typeof each === 'function' && (each as () => void)());
    return true;
  });
  try {
    writeFileSync(join(folder, 'plan.yaml'), simulatedPlan('{ color: red, name: a toy }'));
    await shift(join(folder, 'plan.yaml'), { dryRun: true, json: true });
  } finally {
    write.mockRestore();
    rmSync(folder, { recursive: true });
  }
  expect(JSON.parse(printed.join('')).checks).toEqual(['a toy']);
});

test('a shift asks it', async () => {
  const route = await openRoute(parsePlan(simulatedPlan('{ color: red }'), 'plan.yaml'), 'traffic');
  const outcome = await runShift({
    plan: await route.plan(),
    router: route.shifted,
    checks: route.checks,
    lease: route.lease,
    clock: new FakeClock(),
  });
  route.close();
  expect(outcome).toMatchObject({ verdict: 'completed', final: { blue: 0, green: 100 } });
  expect([...new Set(toysAsked)]).toEqual(['red 1 with 50 %', 'red 1 with 100 %']);
});

test('a simulation says that it can not simulate it', () => {
  const { notSimulated, verdicts } = simulate({
    plan: shiftPlan(['blue', 'green'], { green: 100 }),
    checks: [settings as unknown as CheckSettings],
    scenario: { requests: { perSecond: 100 } },
  });
  expect([notSimulated, verdicts.completed]).toEqual([['toy'], 1]);
});
