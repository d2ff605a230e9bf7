/**
 * An answer that has its list. AWS sends the list also where it is empty; an answer without one is not AWS's own: of the
 * login page of a proxy, or of an empty body with status 200, the SDK makes an answer without fields, which would look as
 * if there were nothing.
 *
 * @param name of the list
 * @throws Error that `askAws`, inside of which it is called, takes for no answer
 */
export async function withList<Answer, Name extends keyof Answer & string>(
  name: Name,
  asked: Promise<Answer>,
): Promise<Omit<Answer, Name> & { readonly [Key in Name]: NonNullable<Answer[Key]> }> {
  const answer = await asked;
  if (!Array.isArray(answer[name])) {
    throw Object.assign(new Error(`what came has no list "${name}"`), { code: 'EPROTO' });
  }
  return answer as Answer & { readonly [Key in Name]: NonNullable<Answer[Key]> };
}
