import { object, optional } from '../../../lib/core/validation/collections';
import { text } from '../../../lib/core/validation/values';
import type { Weights } from '../../../lib/shift/engine';
import { fullWeights, refuseChanged } from '../../../lib/shift/engine';
import type { OpenRouter, RouterKind } from '../../../lib/shift/routers/router-kind';
import { withMissingTargets } from '../../../lib/shift/routers/attaching-router';

/** Where the toy router has its weights: gateways by name, with the weight of each backend. */
export const gateways = new Map<string, Readonly<Record<string, number>>>();

/** What was asked of gateways, in order. */
export const asked: string[] = [];

export interface ToySettings {
  /** Name of the gateway. */
  readonly gateway: string;
  /** Name of the route. @default - the only one */
  readonly route?: string;
}

/** A router that only tests have, as CONTRIBUTING.md says that one is made. */
export const toy: RouterKind<ToySettings, 'backend'> = {
  title: 'a gateway that is none',
  settings: object<ToySettings>({
    gateway: text('the name of a gateway', /^[a-z]+$/),
    route: optional(text('the name of a route', /^[a-z]+$/)),
  }),
  slot: { field: 'backend', title: 'backend of the slot', value: text('the name of a backend', /^[a-z-]+$/) },
  layer: 'http',
  permissions: ({ gateway }) => [
    {
      Sid: 'WriteWeights',
      Effect: 'Allow',
      Action: ['toys:UpdateGateway'],
      Resource: [`arn:aws:toys:eu-west-1:123456789012:gateway/${gateway}`],
    },
  ],
  open: ({ gateway }, backends) => {
    const name = `gateway ${gateway}`;
    const slots = Object.keys(backends);
    const look = (): Readonly<Record<string, number>> => {
      asked.push('read');
      return gateways.get(gateway) ?? {};
    };
    const weightsIn = (held: Readonly<Record<string, number>>): Weights =>
      Object.fromEntries(slots.map((slot) => [slot, held[backends[slot]!] ?? 0]));
    const router: OpenRouter = {
      name,
      id: `toy:${gateway}`,
      subject: { layer: 'http', slots: Object.fromEntries(slots.map((slot) => [slot, {}])) },
      read: () => Promise.resolve().then(() => weightsIn(look())),
      write: (weights, _signal, expected) =>
        Promise.resolve().then(() => {
          const wanted = fullWeights(slots, weights);
          refuseChanged(name, weightsIn(look()), expected);
          asked.push('write');
          gateways.set(gateway, Object.fromEntries(slots.map((slot) => [backends[slot]!, wanted[slot]!])));
        }),
      describe: () =>
        Promise.resolve().then(() => {
          const held = look();
          const missing = slots.filter((slot) => !(backends[slot]! in held));
          return { name, weights: weightsIn(held), missing, notes: [] };
        }),
      minimumWait: () => Promise.resolve({ milliseconds: 0, writeMilliseconds: 0, because: [] }),
      withMissingTargets: (wanted) => withMissingTargets(router, wanted),
    };
    return router;
  },
};
