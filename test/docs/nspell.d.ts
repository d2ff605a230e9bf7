declare module 'nspell' {
  /** A spell checker with a Hunspell dictionary. */
  interface Speller {
    correct(word: string): boolean;
    add(word: string): Speller;
  }

  function nspell(dictionary: { readonly aff: string; readonly dic: string }): Speller;

  export = nspell;
}
