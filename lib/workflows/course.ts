import type { WorkflowForm } from './workflow-plan';

/** One link of the chain that a workflow goes along: each begins when the one before has succeeded. */
export interface Link {
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
export function linksOf({ waves, pauses }: WorkflowForm, hasWindow: boolean): readonly Link[] {
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
export function tasksOf(form: WorkflowForm, links: readonly Link[]): readonly Task[] {
  const chain = links.map((link, index): Task => {
    const before = links[index - 1];
    return {
      name: link.name,
      template: link.does === 'shift' ? link.name : templates[link.does],
      ...(before ? { depends: `${before.name}.Succeeded` } : {}),
    };
  });
  return [...chain, ...takingBack(form, links), ...forgetting(form, links)];
}

/** Waves that may have to be taken back by a task: a lone route that fails has gone back by itself. */
export function wavesTakenBack({ waves, pauses, takesBack }: WorkflowForm): readonly number[] {
  if (takesBack === 'none') {
    return [];
  }
  const several = takesBack === 'all' && waves.length > 1;
  return waves.flatMap((routes, wave) => (several || routes.length > 1 || pauses.length > 0 ? [wave] : []));
}

export function takeBackName(wave: number): string {
  return `roll-back-${waveName(wave)}`;
}

function takingBack(form: WorkflowForm, links: readonly Link[]): readonly Task[] {
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

export function forgetName(wave: number): string {
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
