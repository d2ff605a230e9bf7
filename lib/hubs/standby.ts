import { comparingPatch } from '../addons';
import type { ApplicationSetProps } from '../gitops';
import { applicationSetPropsKeys } from '../gitops';
import { refuseOptions } from '../problems';

/** Argo CD deletes what an Application deployed when the Application goes, where it has this finalizer. */
const deletesResources = 'resources-finalizer.argocd.argoproj.io';

/**
 * An ApplicationSet for a hub that stands by: its Applications are compared, but nothing is synchronised by itself.
 * A strategy is left out as well, since the controller synchronises the Applications that a strategy steps through,
 * and so is a patch, which could switch on what the template switches off. (Add-ons keep their values, without which the
 * hub would compare with something else.)
 *
 * What is deployed stays when an Application goes, whatever the set says: without a right to write, the hub could not
 * delete it, and the Application would wait for that for ever.
 */
export function standbyApplicationSet(props: ApplicationSetProps): ApplicationSetProps {
  refuseOptions('standbyApplicationSet', props, applicationSetPropsKeys);
  const { strategy: _, templatePatch, ...rest } = props;
  const patch = comparingPatch(templatePatch);
  const { syncPolicy, ...spec } = props.template.spec;
  const { automated: __, ...manual } = syncPolicy ?? {};
  const { finalizers, ...metadata } = props.template.metadata;
  const kept = finalizers?.filter((each) => !each.startsWith(deletesResources));
  return {
    ...rest,
    ...(patch === undefined ? {} : { templatePatch: patch }),
    syncPolicy: { ...props.syncPolicy, preserveResourcesOnDeletion: true },
    template: {
      ...props.template,
      metadata: kept?.length ? { ...metadata, finalizers: kept } : metadata,
      spec: { ...spec, syncPolicy: manual },
    },
  };
}
