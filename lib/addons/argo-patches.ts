/** Values are data of each entry, which no template could put in its place. */
const values = `spec:
  source:
    helm:
      valuesObject: {{ toJson .values }}
`;

/** An add-on that is to go takes its objects along. */
const removal = `{{- if .absent }}
metadata:
  finalizers: ["resources-finalizer.argocd.argoproj.io"]
{{- end }}
`;

/** The patch of a set of add-ons: the values of each, and where one is to go, what lets Argo CD delete it. */
export function addonPatch(someGo: boolean): string {
  return someGo ? removal + values : values;
}

/**
 * Of a patch what a hub may have that only compares: that of a set of add-ons, with the values and no more.
 *
 * @returns undefined for patches of others, of which nothing is known
 */
export function comparingPatch(patch: string | undefined): string | undefined {
  return patch === addonPatch(true) || patch === addonPatch(false) ? values : undefined;
}
