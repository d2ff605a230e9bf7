import * as pulumi from '@pulumi/pulumi';
import { oneOfWords } from '../../../core/validation/formats';
import { Problems } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import { programLog } from '../../log';
import { deliveredBy, delivery, deliveryOf, deliveries } from '../addon';
import type { Addon, Delivery } from '../addon';

/**
 * What is wrong with who delivers what: an add-on that another delivery can't carry, and one that would come before what it
 * requires. Pulumi comes first, then Argo CD or the helmfile, of which neither waits for the other.
 */
export function deliveryProblems(addons: readonly Addon[]): readonly Problem[] {
  const problems = new Problems('deliveries');
  const record = new Map(addons.map((addon) => [addon.name, addon]));
  addons.forEach((addon, position) => {
    const who = deliveryOf(addon);
    const at = `addons[${position}]`;
    if (!deliveries.includes(who)) {
      problems.check(`${at}.deliveredBy`, who, delivery);
      return;
    }
    problems.check(`${at}.state`, addon.state ?? 'present', oneOfWords('present', 'absent'));
    if (who !== 'pulumi' && !addon.release) {
      problems.add(
        `${at}.deliveredBy`,
        who,
        '"pulumi": this add-on is no chart that something else could deliver',
      );
    }
    addon.requires.forEach((required, which) => {
      const other = record.get(required);
      // A part that stays with Pulumi is made during `up`.
      const needsBy = addon.prepare ? 'pulumi' : who;
      if (other && comesLater(deliveryOf(other), needsBy)) {
        problems.add(
          `${at}.requires[${which}]`,
          required,
          `an add-on that is there by then: ${nameOf(needsBy)} ${needsBy === who ? 'delivers' : 'prepares'} this one, and ${nameOf(deliveryOf(other))} delivers ${JSON.stringify(required)}`,
        );
      }
    });
  });
  return problems.all;
}

function comesLater(required: Delivery, who: Delivery): boolean {
  return required !== 'pulumi' && required !== who;
}

function nameOf(who: Delivery): string {
  return { pulumi: 'Pulumi', argocd: 'Argo CD', helmfile: 'a helmfile' }[who];
}

const takesOver: Readonly<Record<Exclude<Delivery, 'pulumi'>, string>> = {
  argocd: 'Argo CD delivers',
  helmfile: 'A helmfile delivers',
};

/**
 * What a preview says of add-ons that Pulumi does not deliver, and of those that are to go: the engine only shows releases
 * that leave the program, and not that they stay.
 *
 * @param slot name of the slot: `apps-blue`
 */
export function deliveryNotes(addons: readonly Addon[], slot: string): readonly string[] {
  const moved = Object.entries(takesOver).flatMap(([delivery, delivers]) => {
    const names = deliveredBy(addons, delivery as Delivery)
      .filter(({ state }) => state !== 'absent')
      .map(({ name }) => name);
    return names.length === 0
      ? []
      : [
          `${delivers} to ${slot}: ${names.join(', ')}. A release that Pulumi has installed stays, without a gap, and is taken ` +
            'over under its names: where this preview deletes it, nothing is uninstalled. addons.moveToPulumiSteps prints the way back.',
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
export function logDeliveryNotes(addons: readonly Addon[], slot: string, resource: pulumi.Resource): void {
  if (pulumi.runtime.isDryRun()) {
    deliveryNotes(addons, slot).forEach((text) => programLog.info(text, resource));
  }
}
