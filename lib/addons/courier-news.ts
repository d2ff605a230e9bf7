import * as pulumi from '@pulumi/pulumi';
import { programLog } from '../bridge';
import type { Addon } from './addon';
import type { Courier } from './courier';
import { broughtBy } from './courier';

const takesOver: Readonly<Record<Exclude<Courier, 'pulumi'>, string>> = {
  argocd: 'Argo CD delivers',
  helmfile: 'A helmfile delivers',
};

/**
 * What a preview says of add-ons that Pulumi does not deliver, and of those that are to go: the engine only shows releases
 * that leave the program, and not that they stay.
 *
 * @param slot name of the slot: `apps-blue`
 */
export function courierNews(addons: readonly Addon[], slot: string): readonly string[] {
  const moved = Object.entries(takesOver).flatMap(([courier, delivers]) => {
    const names = broughtBy(addons, courier as Courier)
      .filter(({ state }) => state !== 'absent')
      .map(({ name }) => name);
    return names.length === 0
      ? []
      : [
          `${delivers} to ${slot}: ${names.join(', ')}. A release that Pulumi has installed stays, without a gap, and is taken ` +
            'over under its names: where this preview deletes it, nothing is uninstalled. addons.stepsBack prints the way back.',
        ];
  });
  const absent = addons.filter(({ state }) => state === 'absent').map(({ name }) => name);
  return absent.length === 0
    ? moved
    : [
        ...moved,
        `To go from ${slot}: ${absent.join(', ')}. This "up" uninstalls nothing; the one after they have left the list does.`,
      ];
}

/** Tells it in previews alone. */
export function tellCourierNews(addons: readonly Addon[], slot: string, resource: pulumi.Resource): void {
  if (pulumi.runtime.isDryRun()) {
    courierNews(addons, slot).forEach((text) => programLog.info(text, resource));
  }
}
