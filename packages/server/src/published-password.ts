/** The password of all demo users, published in README.md. It is disabled where other machines can connect. */
export const publishedPassword = 'caretaker'

/** Text typed on different keyboards is normalised, as in the password check. */
export function isPublished(password: string): boolean {
  return password.normalize('NFKC') === publishedPassword
}
