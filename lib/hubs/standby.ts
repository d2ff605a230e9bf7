import type { ApplicationSetProps } from '../gitops';

/**
 * An ApplicationSet for a hub that stands by: its Applications are compared, but nothing is synchronised by itself.
 * A strategy is left out as well, since the controller synchronises the Applications that a strategy steps through,
 * and so is a patch, which could switch on what the template switches off.
 */
export function standbyApplicationSet(props: ApplicationSetProps): ApplicationSetProps {
  const { strategy: _, templatePatch: __, ...rest } = props;
  const { syncPolicy, ...spec } = props.template.spec;
  const { automated: ___, ...manual } = syncPolicy ?? {};
  return { ...rest, template: { ...props.template, spec: { ...spec, syncPolicy: manual } } };
}
