import * as pulumi from '@pulumi/pulumi';
import { oneOf } from '../../../core/validation/formats';
import { Problems } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import { programLog } from '../../log';
import { broughtBy, courier, courierOf, couriers } from '../addon';
import type { Addon, Courier } from '../addon';

/**
 * What is wrong with who delivers what: an add-on that another courier can't carry, and one that would come before what it
 * requires. Pulumi comes first, then Argo CD or the helmfile, of which neither waits for the other.
 */
export function courierProblems(addons: readonly Addon[]): readonly Problem[] {
  const problems = new Problems('couriers');
  const record = new Map(addons.map((addon) => [addon.name, addon]));
  addons.forEach((addon, position) => {
    const who = courierOf(addon);
    const at = `addons[${position}]`;
    if (!couriers.includes(who)) {
      problems.check(`${at}.deliveredBy`, who, courier);
      return;
    }
    problems.check(`${at}.state`, addon.state ?? 'present', oneOf('present', 'absent'));
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
      if (other && comesLater(courierOf(other), needsBy)) {
        problems.add(
          `${at}.requires[${which}]`,
          required,
          `an add-on that is there by then: ${nameOf(needsBy)} ${needsBy === who ? 'delivers' : 'prepares'} this one, and ${nameOf(courierOf(other))} delivers ${JSON.stringify(required)}`,
        );
      }
    });
  });
  return problems.all;
}

function comesLater(required: Courier, who: Courier): boolean {
  return required !== 'pulumi' && required !== who;
}

function nameOf(who: Courier): string {
  return { pulumi: 'Pulumi', argocd: 'Argo CD', helmfile: 'a helmfile' }[who];
}

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
