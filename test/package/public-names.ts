import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as ts from 'typescript';
import { libraryProgram } from './library-program';

/** A name that users see: of an export, of a member, or of a field of an inline type. */
export interface PublicName {
  /** `shift.Clock.now`: subpath, export, member. */
  readonly name: string;
  /** `lib/core/async.ts:4` */
  readonly place: string;
  readonly documented: boolean;
}

const root = resolve(__dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Source of a subpath of the package. */
export function fileOf(subpath: string): string {
  return join(root, manifest.typesVersions['*'][subpath][0].replace(/^dist/, 'lib').replace('.d.ts', '.ts'));
}

/** Name of a subpath in the package's root: `timeSync` for `time-sync`. */
export function namespaceOf(subpath: string): string {
  return subpath.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

/** Every public name of the subpaths, each once for every way by which it is reached. */
export function publicNames(subpaths: readonly string[]): readonly PublicName[] {
  const entries = subpaths.map(fileOf);
  const program = libraryProgram(entries, { noLib: true });
  const checker = program.getTypeChecker();
  const names: PublicName[] = [];

  const add = (name: string, declaration: ts.Node, documented: boolean): void => {
    const source = declaration.getSourceFile();
    const { line } = source.getLineAndCharacterOfPosition(declaration.getStart());
    names.push({ name, place: `${source.fileName.slice(root.length + 1)}:${line + 1}`, documented });
  };

  /** A docstring says something beside its tags; a member may take it from the interface or class above. */
  const hasText = (symbol: ts.Symbol): boolean =>
    ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim() !== '';

  function members(name: string, nodes: readonly ts.Node[]): void {
    for (const node of nodes) {
      const symbol = isMember(node) && !isHidden(node) && node.name && checker.getSymbolAtLocation(node.name);
      if (symbol) {
        const path = `${name}.${symbol.name}`;
        const inherits = has(node, ts.SyntaxKind.OverrideKeyword);
        add(path, node, hasText(symbol) || inherits || tellsVariants(node));
        inlineTypes(path, node);
      }
      if (ts.isCallSignatureDeclaration(node)) {
        inlineTypes(name, node);
      }
      if (ts.isConstructorDeclaration(node) && !isHidden(node)) {
        const fields = node.parameters.filter((each) => ts.isParameterPropertyDeclaration(each, node));
        members(name, fields);
      }
    }
  }

  /** Fields of types and objects that have no name of their own. Parameters are told of in the function's docstring. */
  function inlineTypes(name: string, node: ts.Node): void {
    ts.forEachChild(node, (child) => {
      if (ts.isTypeLiteralNode(child)) {
        members(name, child.members);
      } else if (ts.isObjectLiteralExpression(child) && givesTheType(node)) {
        members(name, child.properties);
      } else if (isOfType(child)) {
        inlineTypes(name, child);
      }
    });
  }

  function exported(name: string, symbol: ts.Symbol): void {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const declarations = target.declarations ?? [];
    const [first] = declarations;
    if (first && ts.isSourceFile(first)) {
      checker.getExportsOfModule(target).forEach((each) => exported(`${name}.${each.name}`, each));
    } else if (first) {
      add(name, first, hasText(target) || hasText(symbol));
      for (const declaration of declarations) {
        if (ts.isClassDeclaration(declaration) || ts.isInterfaceDeclaration(declaration)) {
          members(name, declaration.members);
        } else {
          inlineTypes(name, declaration);
        }
      }
    }
  }

  for (const [index, entry] of entries.entries()) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry)!)!;
    checker
      .getExportsOfModule(module)
      .forEach((each) => exported(`${namespaceOf(subpaths[index]!)}.${each.name}`, each));
  }
  return names;
}

type Member =
  | ts.PropertySignature
  | ts.MethodSignature
  | ts.PropertyDeclaration
  | ts.MethodDeclaration
  | ts.AccessorDeclaration
  | ts.PropertyAssignment
  | ts.ParameterPropertyDeclaration;

function isMember(node: ts.Node): node is Member {
  return (
    ts.isPropertySignature(node) ||
    ts.isMethodSignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isAccessor(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isShorthandPropertyAssignment(node) ||
    ts.isParameter(node)
  );
}

/** Whether it may hold a type without a name, or is a constant of such a type: `{ key: 'a' } as const`. */
function isOfType(node: ts.Node): boolean {
  return ts.isAsExpression(node) || !(ts.isBlock(node) || ts.isExpression(node) || ts.isParameter(node));
}

/** Whether it is the field by which one knows the variant of a union, and the docstring stands before the variant. */
function tellsVariants(node: ts.Node): boolean {
  const variant = node.parent;
  if (
    !ts.isPropertySignature(node) ||
    !ts.isTypeLiteralNode(variant) ||
    !ts.isUnionTypeNode(variant.parent)
  ) {
    return false;
  }
  const all = variant.parent.types;
  const before = all[all.indexOf(variant) - 1];
  const text = node.getSourceFile().text.slice(before?.end ?? variant.parent.pos, variant.getStart());
  return text.includes('/**') && (variant.members.length === 1 || ts.isLiteralTypeNode(node.type!));
}

/** Whether the type of an object is known by the object alone. */
function givesTheType(parent: ts.Node): boolean {
  return ts.isAsExpression(parent) || (ts.isVariableDeclaration(parent) && parent.type === undefined);
}

function has(node: ts.Node, kind: ts.SyntaxKind): boolean {
  return ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some((each) => each.kind === kind);
}

function isHidden(node: ts.Node): boolean {
  return (
    has(node, ts.SyntaxKind.PrivateKeyword) ||
    ts.getJSDocTags(node).some((tag) => tag.tagName.text === 'internal')
  );
}
