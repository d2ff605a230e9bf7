/** What the script depends on. */
export interface GenerateScriptSettings {
  /** helmfile's environment where the Application names none. */
  readonly environment?: string;
  /** Names of releases that something else has installed. */
  readonly bootstrapped: readonly string[];
  /** Variables of the Application that helmfile sees by their own names. */
  readonly variables: readonly string[];
}

/**
 * The shell script that renders a helmfile for Argo CD.
 *
 * Argo CD takes what it prints for everything that is to be there and, with `prune`, deletes the rest. So it prints nothing before
 * all of it is known to be right: helmfile has ended well (there is no pipe, which would hide how it ended), there is something,
 * and every document is a Kubernetes object. What helmfile says goes to stderr, apart from the objects. It needs a POSIX shell,
 * `mktemp`, `rm`, helmfile and Helm.
 *
 * An error names the line and no more of it than its beginning, because Argo CD shows it to everybody and a value may be secret.
 *
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/config-management-plugins/
 */
export function generateScript({ environment, bootstrapped, variables }: GenerateScriptSettings): string {
  const excluded = bootstrapped.map((name) => `name!=${name}`).join(',');
  return [
    ...['set -euf', 'excluded=' + quoted(excluded), 'environment=' + quoted(environment ?? '')],
    ...variables.map(
      (name) => `if [ -n "\${ARGOCD_ENV_${name}+set}" ]; then export ${name}="$ARGOCD_ENV_${name}"; fi`,
    ),
    body,
  ].join('\n');
}

/** Names have nothing in them that a shell would read, which is checked before. */
function quoted(text: string): string {
  return `'${text}'`;
}

const body = String.raw`export HELMFILE_UPGRADE_NOTICE_DISABLED=true
fail() { printf 'helmfile plugin: %s\n' "$*" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
export HELMFILE_TEMPDIR="$work" CHARTIFY_TEMPDIR="$work"

set -- --no-color
file=@{ARGOCD_ENV_HELMFILE_FILE:-}
case /$file/ in
  //) ;;
  //* | */../* | *:*) fail "HELMFILE_FILE must be a path below the Application's own" ;;
  *) set -- "$@" --file "$file" ;;
esac
environment=@{ARGOCD_ENV_HELMFILE_ENVIRONMENT:-$environment}
[ -z "$environment" ] || set -- "$@" --environment "$environment"
if [ -n "@{ARGOCD_ENV_HELMFILE_SELECTORS:-}" ]; then
  for selector in $ARGOCD_ENV_HELMFILE_SELECTORS; do
    set -- "$@" --selector "$selector@{excluded:+,$excluded}"
  done
elif [ -n "$excluded" ]; then
  set -- "$@" --selector "$excluded"
fi
if [ -n "@{ARGOCD_ENV_HELMFILE_STATE_VALUES:-}" ]; then
  printf '%s\n' "$ARGOCD_ENV_HELMFILE_STATE_VALUES" > "$work/state-values.yaml"
  set -- "$@" --state-values-file "$work/state-values.yaml"
fi
set -- "$@" template --include-crds --skip-tests
[ -z "@{KUBE_VERSION:-}" ] || set -- "$@" --kube-version "$KUBE_VERSION"
# As one argument: helmfile writes each on a line of its own where Helm fails.
[ -z "@{KUBE_API_VERSIONS:-}" ] || set -- "$@" "--template-args=--api-versions=$KUBE_API_VERSIONS"
if [ -n "@{ARGOCD_ENV_HELMFILE_VALUES:-}" ]; then
  printf '%s\n' "$ARGOCD_ENV_HELMFILE_VALUES" > "$work/values.yaml"
  set -- "$@" --values "$work/values.yaml"
fi

objects=$(helmfile "$@") || fail "helmfile template ended with status $?"

# Every document has to be an object: its lines at the margin are its keys.
number=0 start=0 version= kind= odd= count=0
beginning() { printf '%.40s' "@{1%%:*}"; }
document() {
  [ "$start" -gt 0 ] || return 0
  if [ -n "$odd" ]; then
    fail "line $odd of what helmfile rendered is not part of a Kubernetes object: $(beginning "$oddText")"
  fi
  if [ -z "$version" ] || [ -z "$kind" ]; then
    fail "line $start of what helmfile rendered begins no Kubernetes object, which has apiVersion and kind: $(beginning "$startText")"
  fi
  count=$((count + 1)) start=0 version= kind=
}
while IFS= read -r line || [ -n "$line" ]; do
  number=$((number + 1))
  case $line in
    '---' | '--- '* | '...') document; continue ;;
    '' | '#'*) continue ;;
    *[![:space:]]*) ;;
    *) continue ;;
  esac
  if [ "$start" -eq 0 ]; then
    start=$number
    startText=$line
  fi
  case $line in
    *'"apiVersion":'* | apiVersion:*) version=yes ;;
  esac
  case $line in
    *'"kind":'* | kind:*) kind=yes ;;
  esac
  case $line in
    ' '* | '- '* | '-' | '{'* | '}'* | ']'*) ;;
    *:*)
      case @{line%%:*} in
        *[[:space:]]*) rest=odd ;;
        *) rest=@{line#*:} ;;
      esac
      case $rest in
        '' | ' '*) ;;
        *) [ -n "$odd" ] || { odd=$number; oddText=$line; } ;;
      esac
      ;;
    *) [ -n "$odd" ] || { odd=$number; oddText=$line; } ;;
  esac
done << END_OF_OBJECTS
$objects
END_OF_OBJECTS
document
[ "$count" -gt 0 ] || fail 'helmfile rendered nothing. Argo CD would take that for a wish to delete everything'

printf '%s\n' "$objects"
`.replaceAll('@{', '${');
