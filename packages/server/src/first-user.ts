import type { Context } from './context.ts'

/** How to create the first user of an installation, in lines to print; empty if there are users or invitations. */
export async function firstUserInstructions({ config, owner }: Context): Promise<string> {
  if (!config.parts.includes('api')) return ''
  const { rowCount } = await owner.query('(select from person limit 1) union all (select from invitation limit 1)')
  if (rowCount) return ''
  return `Nobody can sign in yet. Add the first client and invite its first user:
  npm run caretaker -- tenant add --id northgate --name "Northgate Homes"
  npm run caretaker -- user invite --tenant northgate --email you@example.org --role Developer
`
}
