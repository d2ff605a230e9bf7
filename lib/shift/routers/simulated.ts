import { object, optional, record } from '../../core/validation/collections';
import { isPlainObject } from '../../core/validation/problems';
import { whole } from '../../core/validation/values';
import { fullWeights, refuseChanged, weightProblems, assumedLiveWeights } from '../engine';
import type { Router, ShiftSubject, Weights } from '../engine';
import { targetGroupField } from './load-balancer/settings';
import type { MinimumWait, OpenRouter, RouterDescription, RouterKind } from './router-kind';

/** Weights in this process alone. */
export interface SimulatedSettings {
  /** Weights at the start. @default - everything on the first slot that is not to get everything */
  readonly live?: Weights;
}

/** Weights in this process alone, to try a plan: each run begins anew. */
export const simulated: RouterKind<SimulatedSettings, 'targetGroupArn'> = {
  title: 'weights in this process alone, to try a plan without AWS',
  settings: object<SimulatedSettings>({
    live: optional(
      record(whole(0, 100), undefined, 'a mapping of whole percents by slot that add up to 100'),
    ),
  }),
  // Checks of a plan that is tried may want to know it.
  slot: { ...targetGroupField, isOptional: true },
  layer: 'http',
  isInProcess: true,
  together: ({ live }, slots) =>
    isPlainObject(live)
      ? {
          settings: weightProblems(Object.keys(slots), live as Weights).map((problem) => ({
            ...problem,
            path: problem.path.replace(/^weights/, 'live'),
          })),
        }
      : {},
  open: ({ live }, targetGroupArns, { wanted = {}, instance = '' }) => {
    const names = Object.keys(targetGroupArns);
    return new MemoryRouter(names, live ?? assumedLiveWeights(names, wanted), {
      id: `simulated ${instance}`,
      subject: {
        layer: 'http',
        slots: Object.fromEntries(
          Object.entries(targetGroupArns).map(([slot, arn]) => [
            slot,
            arn === '' ? {} : { targetGroupArn: arn },
          ]),
        ),
      },
    });
  },
};

/** Weights that stand in this process alone. */
class MemoryRouter implements OpenRouter {
  public readonly name = 'simulated router';
  public readonly id: string;
  public readonly subject: ShiftSubject;

  private weights: Weights;

  public constructor(
    private readonly slots: readonly string[],
    live: Weights,
    { id, subject }: Pick<OpenRouter, 'id' | 'subject'>,
  ) {
    this.weights = fullWeights(slots, live);
    this.id = id;
    this.subject = subject;
  }

  public read(): Promise<Weights> {
    return Promise.resolve(this.weights);
  }

  public async write(weights: Weights, _signal?: AbortSignal, expected?: readonly Weights[]): Promise<void> {
    const wanted = fullWeights(this.slots, weights);
    refuseChanged(this.name, await this.read(), expected);
    this.weights = wanted;
  }

  public describe(): Promise<RouterDescription> {
    return Promise.resolve({
      name: this.name,
      weights: this.weights,
      raw: this.weights,
      missing: [],
      notes: [],
    });
  }

  public minimumWait(): Promise<MinimumWait> {
    return Promise.resolve({ milliseconds: 0, writeMilliseconds: 0, because: [] });
  }

  public withMissingTargets(): Router {
    return this;
  }
}
