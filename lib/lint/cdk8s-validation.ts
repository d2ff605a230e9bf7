import { ApiObject } from 'cdk8s';
import type { IConstruct, IValidation } from 'constructs';
import { refuseArguments } from '../core/validation/arguments';
import { lint } from './engine';
import { manifestObjects } from './object';
import { lintOptions } from './options';
import type { LintOptions } from './options';
import { findingText, messageOf } from './output/text';
import type { Severity } from './rule';

/** How a validation checks. */
export interface RulesValidationOptions extends Omit<LintOptions, 'minSeverity'> {
  /** Findings below it do not fail the synthesis. @default 'error' */
  readonly minSeverity?: Severity;
}

/**
 * Lets `cdk8s synth` fail where a rule finds an error in the objects below a construct, with the text of
 * `cluster-canary lint`. Rules see all objects below it together: add it to the app, and they see those of every chart.
 *
 * @example
 * const app = new App();
 * // …
 * RulesValidation.addTo(app);
 * app.synth();
 */
export class RulesValidation implements IValidation {
  /** Adds the validation to an app, a chart or any other construct. */
  public static addTo(scope: IConstruct, options: RulesValidationOptions = {}): void {
    scope.node.addValidation(new RulesValidation(scope, options));
  }

  public constructor(
    private readonly scope: IConstruct,
    private readonly options: RulesValidationOptions = {},
  ) {
    refuseArguments('RulesValidation', lintOptions, options);
  }

  /** The findings, each as one text; none where all is well. */
  public validate(): string[] {
    const objects = this.scope.node
      .findAll()
      .filter((construct) => ApiObject.isApiObject(construct))
      .map((construct) => construct.toJson() as unknown);
    const { findings, failures } = lint(manifestObjects(objects), { minSeverity: 'error', ...this.options });
    return [
      ...failures.map(({ rule, error }) => `the rule ${rule} failed: ${messageOf(error)}`),
      ...findings.map((finding) =>
        findingText(finding)
          .trimStart()
          .replace(/^- {2}/, ''),
      ),
    ];
  }
}
