import type { WorkflowForm } from './plan';
import { podSecurity } from '../../command-pod';
import { podSpecPatch, podTemplate, volumesOf } from './pods';
import type { ShiftPod } from './pods';
import { secondsUntilOpen } from './window';
import type { ShiftWindow } from './window';

/** One link of the chain that a workflow goes along: each begins when the one before has succeeded. */
interface Link {
  /** Name of the task: `wave-1`, `wave-1-at-25`, `wave-1-beyond-25`, `wave-2-window`. */
  readonly name: string;
  /** Which wave it belongs to, from 0. */
  readonly wave: number;
  /** What it does: shifts the routes of its wave, waits for a person, or waits for the window. */
  readonly does: 'shift' | 'person' | 'window';
  /** Place of the pause that it goes beyond, or waits at. */
  readonly place?: number;
  /** Whether it ends at the next pause. */
  readonly toPause?: boolean;
}

/** A task of a workflow's DAG. */
export interface Task {
  readonly name: string;
  readonly template: string;
  /** @default - it begins at once */
  readonly depends?: string;
}

/** The links of a workflow, in order. The routes of a wave pause together, so that a person lets go on a wave, not a route. */
function linksOf({ waves, pauses }: WorkflowForm, hasWindow: boolean): readonly Link[] {
  return waves.flatMap((_, wave): Link[] => {
    const name = waveName(wave);
    const window: Link[] = hasWindow ? [{ name: `${name}-window`, wave, does: 'window' }] : [];
    const beyond = pauses.flatMap((place, index): Link[] => [
      { name: `${name}-at-${place}`, wave, does: 'person', place },
      {
        name: `${name}-beyond-${place}`,
        wave,
        does: 'shift',
        place,
        ...(index < pauses.length - 1 ? { toPause: true } : {}),
      },
    ]);
    const first: Link = { name, wave, does: 'shift', ...(pauses.length > 0 ? { toPause: true } : {}) };
    return [...window, first, ...beyond];
  });
}

function waveName(wave: number): string {
  return `wave-${wave + 1}`;
}

/** Template of each kind of link. */
const templates: Readonly<Record<Exclude<Link['does'], 'shift'>, string>> = {
  person: 'wait-for-a-person',
  window: 'wait-for-the-window',
};

/**
 * The tasks of a workflow. Beside the chain there are those that take a wave back, and those that forget where complete
 * routes came from. Waves are taken back from the last to the first, each after the one behind it, so that the conditions
 * grow in proportion to the waves.
 */
function tasksOf(form: WorkflowForm, links: readonly Link[]): readonly Task[] {
  const chain = links.map((link, index): Task => {
    const before = links[index - 1];
    return {
      name: link.name,
      template: link.does === 'shift' ? link.name : templates[link.does],
      ...(before ? { depends: `${before.name}.Succeeded` } : {}),
    };
  });
  return [...chain, ...takingBackTasks(form, links), ...forgetting(form, links)];
}

/** Waves that may have to be taken back by a task: a lone route that fails has gone back by itself. */
function wavesTakenBack({ waves, pauses, takesBack }: WorkflowForm): readonly number[] {
  if (takesBack === 'none') {
    return [];
  }
  const several = takesBack === 'all' && waves.length > 1;
  return waves.flatMap((routes, wave) => (several || routes.length > 1 || pauses.length > 0 ? [wave] : []));
}

function takeBackName(wave: number): string {
  return `roll-back-${waveName(wave)}`;
}

function takingBackTasks(form: WorkflowForm, links: readonly Link[]): readonly Task[] {
  const waves = wavesTakenBack(form);
  return waves.map((wave, index): Task => {
    const own = links.filter((link) => link.wave === wave && link.does !== 'window');
    const failed = own.flatMap(({ name }) => [`${name}.Failed`, `${name}.Errored`]);
    const behind = form.takesBack === 'all' ? waves[index + 1] : undefined;
    const after =
      behind === undefined
        ? []
        : ['Succeeded', 'Failed', 'Errored'].map((result) => `${takeBackName(behind)}.${result}`);
    const name = takeBackName(wave);
    return { name, template: name, depends: [...failed, ...after].join(' || ') };
  });
}

function forgetName(wave: number): string {
  return `forget-${waveName(wave)}`;
}

function forgetting(form: WorkflowForm, links: readonly Link[]): readonly Task[] {
  if (!form.keepsRecords) {
    return [];
  }
  return form.waves.map((_, wave): Task => {
    const settled = links.filter((link) => form.takesBack === 'all' || link.wave === wave).at(-1)!;
    return { name: forgetName(wave), template: forgetName(wave), depends: `${settled.name}.Succeeded` };
  });
}

/**
 * When a pod of a shift is tried again: when it was lost, killed or interrupted, or could not run (status 2: the API
 * could not be reached, or the lease of a pod that was killed has not expired yet). A shift that goes on where it stopped
 * makes that safe. Status 1 is a verdict and stays: a shift that was just rolled back is not wanted again.
 *
 * The policy is not `OnError`: Argo Workflows calls a pod that was evicted, ran out of memory or was killed by a signal
 * failed, and keeps "error" for what went wrong beside the main container.
 *
 * @param verdicts exit statuses that are not tried again
 * @see https://argo-workflows.readthedocs.io/en/latest/retries/
 */
function podRetry(limit: number, verdicts: readonly number[]): object {
  return {
    limit,
    retryPolicy: 'Always',
    expression: verdicts.map((status) => `lastRetry.exitCode != "${status}"`).join(' && '),
    // A lease lasts for two minutes; the traffic of a shift that was killed is not watched until then.
    backoff: { duration: '30', factor: 2, cap: '120' },
  };
}

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
    securityContext: podSecurity(parts.user, 'ofGroup'),
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
        ...(link.place === undefined
          ? []
          : ['--resumed', String(link.place), '--approved-by', '{{workflow.labels.json}}']),
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
