import type { Link } from './course';
import { forgetName, linksOf, takeBackName, tasksOf, wavesTakenBack } from './course';
import type { ShiftPod } from './pods';
import { podSecurity, podSpecPatch, podTemplate, volumesOf } from './pods';
import { podRetry } from './pod-retry';
import type { ShiftWindow } from './window';
import { secondsUntilOpen } from './window';
import type { WorkflowForm } from './workflow-plan';

/** What the spec of a workflow is made of. */
export interface WorkflowParts {
  readonly form: WorkflowForm;
  readonly pod: ShiftPod;
  readonly window?: ShiftWindow;
  readonly retries: number;
  readonly serviceAccountName: string;
  readonly mutex: string;
  readonly user: number;
  readonly podLabels: Readonly<Record<string, string>>;
  readonly deadlineSeconds: number;
  readonly keepSucceededSeconds: number;
  readonly keepFailedSeconds: number;
  readonly parallelism?: number;
}

/**
 * The spec of the workflow: a DAG along the waves, with a DAG for each wave and each part between pauses.
 *
 * @see https://argo-workflows.readthedocs.io/en/latest/fields/#workflowspec
 */
export function workflowSpec(parts: WorkflowParts): object {
  const { form, window, parallelism } = parts;
  const links = linksOf(form, window !== undefined);
  const tasks = tasksOf(form, links);
  const main = {
    name: 'main',
    dag: {
      // Every task counts for the result: by its leaves alone a DAG that has taken a wave back would have succeeded.
      target: tasks.map(({ name }) => name).join(' '),
      // What takes a wave back begins after something has failed.
      failFast: false,
      tasks,
    },
  };
  return {
    entrypoint: 'main',
    serviceAccountName: parts.serviceAccountName,
    activeDeadlineSeconds: parts.deadlineSeconds,
    ttlStrategy: {
      secondsAfterSuccess: parts.keepSucceededSeconds,
      secondsAfterFailure: parts.keepFailedSeconds,
    },
    podGC: { strategy: 'OnPodSuccess' },
    // Another workflow of this plan waits until this one has ended.
    synchronization: { mutexes: [{ name: parts.mutex }] },
    ...(parallelism === undefined ? {} : { parallelism }),
    podMetadata: { labels: parts.podLabels },
    securityContext: podSecurity(parts.user),
    podSpecPatch,
    volumes: volumesOf(parts.pod),
    templates: [
      main,
      ...waiting(form, window),
      ...links.filter(({ does }) => does === 'shift').map((link) => shiftDag(form, link)),
      ...takingBack(parts),
      ...shiftPods(parts, links),
    ],
  };
}

function waiting({ pauses }: WorkflowForm, window: ShiftWindow | undefined): readonly object[] {
  const person = pauses.length > 0 ? [{ name: 'wait-for-a-person', suspend: {} }] : [];
  if (window === undefined) {
    return person;
  }
  const seconds = '{{steps.look.outputs.parameters.seconds}}';
  return [
    ...person,
    {
      name: 'wait-for-the-window',
      steps: [
        [{ name: 'look', template: 'look-at-the-window' }],
        [
          {
            name: 'wait',
            template: 'wait-for-seconds',
            arguments: { parameters: [{ name: 'seconds', value: seconds }] },
          },
        ],
      ],
    },
    // The expression is evaluated once, when its step has ended: that of the wait itself would be, again and again.
    {
      name: 'look-at-the-window',
      steps: [
        [
          {
            name: 'moment',
            template: 'wait-for-seconds',
            arguments: { parameters: [{ name: 'seconds', value: '0' }] },
          },
        ],
      ],
      outputs: { parameters: [{ name: 'seconds', valueFrom: { expression: secondsUntilOpen(window) } }] },
    },
    {
      name: 'wait-for-seconds',
      inputs: { parameters: [{ name: 'seconds' }] },
      suspend: { duration: '{{inputs.parameters.seconds}}' },
    },
  ];
}

/** One part of a wave: a task for each of its routes. */
function shiftDag({ waves }: WorkflowForm, link: Link): object {
  return routesDag(link.name, podName(link), waves[link.wave]!);
}

function podName({ place }: Link): string {
  return place === undefined ? 'shift' : `shift-beyond-${place}`;
}

function routesDag(name: string, template: string, routes: readonly string[]): object {
  return {
    name,
    dag: {
      // Routes are taken back when all of their wave have ended: none is written to by two pods.
      failFast: false,
      tasks: routes.map((route) => ({
        name: route,
        template,
        arguments: { parameters: [{ name: 'route', value: route }] },
      })),
    },
  };
}

function shiftPods({ form, pod, retries }: WorkflowParts, links: readonly Link[]): readonly object[] {
  const { keepsRecords, onInterrupt } = form;
  // An interrupt that rolls back is a verdict as well.
  const retry = podRetry(retries, onInterrupt === 'rollback' ? [1, 130] : [1]);
  const first = links.filter(({ does, wave }) => does === 'shift' && wave === 0);
  return first.map((link) =>
    podTemplate(
      podName(link),
      pod,
      [
        ...(link.place === undefined ? [] : ['--resumed', String(link.place)]),
        ...(link.toPause === true ? ['--to-pause'] : []),
        ...(keepsRecords ? ['--keep-record'] : []),
      ],
      retry,
    ),
  );
}

function takingBack({ form, pod, retries }: WorkflowParts): readonly object[] {
  const waves = wavesTakenBack(form);
  const retry = podRetry(retries, [1]);
  const back = waves.map((wave) => routesDag(takeBackName(wave), 'roll-back', form.waves[wave]!));
  const why = form.takesBack === 'all' ? 'A wave has failed.' : 'Its wave has failed.';
  const forget = form.keepsRecords
    ? form.waves.map((routes, wave) => routesDag(forgetName(wave), 'forget', routes))
    : [];
  return [
    ...back,
    ...(back.length > 0 ? [podTemplate('roll-back', pod, ['--roll-back', why, '--if-recorded'], retry)] : []),
    ...forget,
    ...(forget.length > 0 ? [podTemplate('forget', pod, ['--forget'], retry)] : []),
  ];
}
