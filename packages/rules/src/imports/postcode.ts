/** What is wrong with a post code of a list that is brought in (estate specification, section 5): one without a digit is none either. */
export const heldPostcodeFault = (text: string): string | undefined =>
  /^(?=.*[A-Za-z])(?=.*\d)[A-Za-z0-9 ]{5,10}$/.test(text) ? undefined : 'Postcode must be valid'
