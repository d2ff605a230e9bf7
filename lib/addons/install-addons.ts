import * as pulumi from '@pulumi/pulumi';
import { Problems } from '../problems';
import type { Addon, AddonResources, AddonTarget } from './addon';
import { courierOf } from './courier';
import { tellCourierNews } from './courier-news';
import { checkAddons, checkAddonsFit, installOrder } from './order';
import { warnUntested } from './support-check';

/** Groups what one add-on registers under the slot: all of it, or what stays with Pulumi where others deliver it. */
class InstalledAddon extends pulumi.ComponentResource {
  public readonly installed: AddonResources;

  public constructor(addon: Addon, target: AddonTarget) {
    super(
      'cluster-canary:addons:InstalledAddon',
      `${target.name}-${addon.name}`,
      {},
      { parent: target.parent },
    );
    const own = { ...target, parent: this };
    this.installed =
      courierOf(addon) === 'pulumi' ? addon.install(own) : (addon.prepare?.(own) ?? { resources: [] });
    this.registerOutputs({});
  }
}

/**
 * Installs add-ons on a slot, each after those it requires, and answers what each has registered, by its name:
 * let what uses an add-on depend on its `resources`. An add-on that its project does not test with the cluster's Kubernetes
 * version is a warning. A preview says what becomes of add-ons that another courier delivers, or that are to go.
 *
 * @throws InvalidInput with everything that is wrong with the list, with an add-on's options or with an add-on
 * on this slot, before anything is registered
 */
export function installAddons(
  addons: readonly Addon[],
  target: AddonTarget,
): Readonly<Record<string, AddonResources>> {
  const problems = new Problems(`Add-ons of "${target.name}"`);
  problems.addAll(checkAddons(addons));
  problems.addAll(checkAddonsFit(addons, target));
  problems.throwIfAny();
  warnUntested(addons, target, target.parent);
  tellCourierNews(addons, target.name, target.parent);
  const installed: Record<string, AddonResources> = {};
  for (const addon of installOrder(addons)) {
    const required = addon.requires.flatMap((name) => installed[name]!.resources);
    installed[addon.name] = new InstalledAddon(addon, {
      ...target,
      dependsOn: [...target.dependsOn, ...required],
    }).installed;
  }
  return installed;
}
