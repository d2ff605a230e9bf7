import type { Finding, RuleFailure } from '../rules';
import { findingText } from '../rules';

/** What a violation says: the text of `cluster-canary lint`. */
export function violationText(finding: Finding): string {
  const { line, file, ...rest } = finding;
  const place = file === undefined || isUrn(file) ? '' : `${file}:${line}  `;
  return (
    place +
    findingText(rest)
      .trimStart()
      .replace(/^- {2}/, '')
  );
}

/** The resource that a finding is about. @returns nothing where it is about a configuration file */
export function urnOf({ file }: Pick<Finding, 'file'>): string | undefined {
  return file !== undefined && isUrn(file) ? file : undefined;
}

export function failureText({ rule, error }: RuleFailure): string {
  return `the rule ${rule} failed, so nothing is known: ${error instanceof Error ? error.message : String(error)}`;
}

function isUrn(text: string): boolean {
  return text.startsWith('urn:pulumi:');
}
