import type { ShiftWindow } from '../../../lib/manifests/workflows';
import { cronOf, secondsUntilOpen } from '../../../lib/manifests/workflows/shift-workflow/window';
import { chainOf, objectsOf, templatesOf, wavesPlan } from './plans';

const office: ShiftWindow = { from: 9, to: 17, timeZone: 'Europe/Berlin' };

test.each([
  ['*/15 9-16 * * 1,2,3,4,5', office],
  ['*/15 23 * * 0,1', { ...office, days: ['Sun', 'Mon'] as const, from: 23, to: 24 }],
  ['*/15 0-23 * * 6', { ...office, days: ['Sat', 'Sat'] as const, from: 0, to: 24 }],
])('cron: %s', (cron, window) => {
  // Sunday is 0, but the last day of the week.
  expect(cronOf(window).split(' ').at(-1)!.split(',').sort()).toEqual(cron.split(' ').at(-1)!.split(','));
  expect(cronOf(window).split(' ').slice(0, 4)).toEqual(cron.split(' ').slice(0, 4));
});

test('once, within a window: a CronWorkflow that runs one workflow and no more', () => {
  const { spec } = objectsOf({ window: office, start: 'once' }).find(({ kind }) => kind === 'CronWorkflow');
  expect(spec).toEqual({
    schedules: ['*/15 9-16 * * 1,2,3,4,5'],
    timezone: 'Europe/Berlin',
    startingDeadlineSeconds: 900,
    concurrencyPolicy: 'Forbid',
    stopStrategy: { expression: 'cronworkflow.succeeded + cronworkflow.failed > 0' },
    workflowSpec: { workflowTemplateRef: { name: 'apps-web' } },
  });
});

test('every wave waits for the window, the first one too; what waits is not taken back', () => {
  const plan = wavesPlan([['eu'], ['us', 'ap']]);
  expect(chainOf({ plan, window: office }).slice(0, 5)).toEqual([
    'wave-1-window: ',
    'wave-1: wave-1-window.Succeeded',
    'wave-2-window: wave-1.Succeeded',
    'wave-2: wave-2-window.Succeeded',
    'roll-back-wave-2: wave-2.Failed || wave-2.Errored',
  ]);
  const { outputs } = templatesOf({ window: office })['look-at-the-window'];
  expect(outputs.parameters[0].valueFrom.expression).toBe(secondsUntilOpen(office));
});
