import { optional } from '../../../lib/core/validation/collections';
import { number, text } from '../../../lib/core/validation/values';
import { checkArgs, checkKind } from '../../../lib/shift/checks/check-kind';
import type { CommonCheckArgs } from '../../../lib/shift/checks/check-kind';

/** What `checks.toy` takes. */
export interface ToyArgs extends CommonCheckArgs {
  /** Color of the toy. */
  readonly color: string;
  /** Least size. @default 1 */
  readonly size?: number;
}

/** A kind of check as CONTRIBUTING.md says to write one: a file. Its line in `registry.ts` is that of the test. */
export const toy = checkKind('toy', {
  asks: 'Toys: is one of a color there?',
  stages: ['after'],
  perRouter: false,
  beforeTraffic: false,
  needs: 'nothing',
  args: checkArgs<ToyArgs>({
    color: text('a color', /^[a-z]+$/),
    size: optional(number('a number above 0', { above: 0 })),
  }),
  problems: ({ color }, { slots }) =>
    Object.keys(slots)
      .filter((slot) => slot !== 'blue' && slot === color)
      .map((slot) => ({ path: 'color', value: slot, allowed: 'another color than that of a slot' })),
  create: (name, { color, size = 1 }) => ({
    name,
    stages: ['after'],
    evaluate: ({ live }) => {
      toysAsked.push(`${color} ${size} with ${live.green ?? 0} %`);
      return Promise.resolve({ status: 'pass', reason: `${color} is there`, figures: [] });
    },
  }),
  permissions: ({ color }) => [{ actions: ['toys:GetToy'], resources: [`arn:aws:toys:::${color}`] }],
});

/** What toys were asked for. */
export const toysAsked: string[] = [];
