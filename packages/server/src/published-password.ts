/** The password of everyone in the demo, as README.md publishes it. It opens nothing where other machines can connect. */
export const publishedPassword = 'caretaker'

/** The same letters typed on different keyboards are the same password, as where passwords are checked. */
export function isPublished(password: string): boolean {
  return password.normalize('NFKC') === publishedPassword
}
