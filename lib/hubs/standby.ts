import type { ApplicationSetProps } from '../gitops';

/**
 * An ApplicationSet for a hub that stands by: its Applications are compared, but nothing is synchronised by itself.
 * A strategy is left out as well, since the controller synchronises the Applications that a strategy steps through.
 */
export function standbyApplicationSet(props: ApplicationSetProps): ApplicationSetProps {
  const { strategy: _, ...rest } = props;
  const { syncPolicy, ...spec } = props.template.spec;
  const { automated: __, ...manual } = syncPolicy ?? {};
  return { ...rest, template: { ...props.template, spec: { ...spec, syncPolicy: manual } } };
}
