import { chanceOf, demoId, whole } from '../chance.ts'
import { demoHomes } from '../fixtures.ts'
import type { DemoProperty } from '../plan/storied.ts'
import type { Seeder } from '../seeding.ts'

/** The number of residents of a client's app. */
const residents = 38
const day = 86_400_000

const tips = `## Warm rooms, lower bills

Your bedroom has been **below 16 °C** on most nights.

- Keep the heating at *18 °C* overnight
- Open the window for ten minutes after a shower
- Leave a hand's width behind the wardrobe

Questions? Call **0113 496 0142**.
`
/** Properties with savings and tips. */
const advised: readonly string[] = [demoHomes.underHeated, demoHomes.lively, demoHomes.heatSaviour]

/** Properties with a scenario come first: their residents are the ones that users look up. */
function occupiedHomes(homes: readonly DemoProperty[]): DemoProperty[] {
  const storied = new Set<string>(Object.values(demoHomes))
  const occupied = homes.filter(({ isVoid }) => !isVoid)
  const isStoried = ({ reference }: DemoProperty) => storied.has(reference)
  return [...occupied.filter(isStoried), ...occupied.filter((home) => !isStoried(home))].slice(0, residents)
}

/**
 * Creates the residents of a client with the resident app. The access of two of them, one in a damp property, is
 * pending.
 */
export const seedResidents: Seeder = async ({ client, write, world: { plan, properties }, now }) => {
  if (!plan.features.includes('ManageResidentAccess')) return
  const homes = occupiedHomes(properties)
  const id = ({ reference }: DemoProperty) => demoId(`${plan.id} resident ${reference}`)
  const daysAgo = (home: DemoProperty, least: number, most: number) =>
    new Date(now - whole(chanceOf(`${plan.id} resident ${home.reference}`), least, most) * day)
  const waits = (home: DemoProperty) => home.reference === demoHomes.damp || home === homes.at(-1)
  await write(
    'resident',
    ['id', 'app_user_id', 'email', 'name', 'created_at'],
    homes.map((home) => [
      id(home),
      `auth0|${home.reference.toLowerCase()}`,
      `${home.reference.toLowerCase()}@residents.example`,
      `Resident ${home.reference}`,
      daysAgo(home, 60, 400),
    ]),
  )
  await write(
    'residence_access',
    ['resident_id', 'property_id', 'is_approved', 'since'],
    homes.map((home) => [id(home), home.id, !waits(home), waits(home) ? daysAgo(home, 1, 4) : daysAgo(home, 5, 59)]),
  )
  await write(
    'savings_and_tips',
    ['id', 'resident_id', 'name', 'content', 'updated_at'],
    homes
      .filter(({ reference }) => advised.includes(reference))
      .map((home) => [
        demoId(`${plan.id} tips ${home.reference}`),
        id(home),
        'savings-and-tips.md',
        tips,
        daysAgo(home, 2, 30),
      ]),
  )
  await client.query(`update tenant set settings = settings || $2::jsonb where id = $1`, [
    plan.id,
    JSON.stringify({
      residentAppContactEmail: `help@${plan.id}.example`,
      residentAppContactPhoneNumber: '+441134960142',
    }),
  ])
}
