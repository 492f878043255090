import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { getThermostatSchedules } from '@caretaker/contract/schedules.ts'
import { setPoints, weekDays } from '@caretaker/rules/properties/schedule.ts'
import { loading } from '../../../testing/device-screen.ts'
import { aHome, aHomeDevice, homePages } from '../../../testing/examples/homes.ts'
import { answer } from '../../../testing/network.ts'
import { openPortal } from '../../../testing/portal.tsx'
import { region } from '../../../testing/screen.ts'

const home = aHome()
const noWeek = { heating: null, hotWater: null }
// Explicit, because the example of the contract has weeks that would fill the fields.
const answers = [
  ...homePages(home, [aHomeDevice({ product: 'TH' })]),
  answer(getThermostatSchedules, { takesSchedules: true, desired: noWeek, reported: noWeek }),
]
const openScheduler = (width = 1440) =>
  openPortal(`/northgate/Properties/${home.propertyId}/thermoScheduler`, {
    features: ['PropertyCentric'],
    viewport: { width, height: 900 },
    answers,
  })
const titles = ['Heating', 'Domestic Hot Water']
const input = (name: string) => page.getByRole('textbox', { name, exact: true })

/** Sets the text of a field like typing, but fast enough for a hundred fields. */
function type(field: HTMLInputElement, text: string): void {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(field, text)
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
}

test(
  'every time and temperature of both schedulers is a number that can be edited [est-2.3-108]',
  { timeout: 60_000 },
  async () => {
    await openScheduler()
    await expect.element(region('Heating'), loading).toBeVisible()
    const names = titles.flatMap((title) =>
      weekDays.flatMap((day) =>
        setPoints.flatMap((at) => [`${title}, ${day}, Time ${at}`, `${title}, ${day}, Temperature ${at}`]),
      ),
    )
    expect(names).toHaveLength(2 * 7 * 8)
    // By label directly: a search by role is slow with so many fields.
    const fieldOf = (name: string) => document.querySelector<HTMLInputElement>(`input[aria-label="${name}"]`)!
    for (const name of names) {
      const { value, disabled, readOnly } = fieldOf(name)
      expect([name, value, disabled, readOnly]).toEqual([name, '0', false, false])
    }
    // Each pair on another day with a unique number, so that mix-ups are detected.
    const edited = titles.flatMap((title, first) =>
      setPoints.flatMap((pair, at) => {
        const day = weekDays[2 * at]!
        return [
          [`${title}, ${day}, Time ${pair}`, String(300 + 10 * first + at)],
          [`${title}, ${day}, Temperature ${pair}`, String(15 + first + at / 10)],
        ] as const
      }),
    )
    for (const [name, number] of edited) {
      type(fieldOf(name), number)
      await expect.poll(() => fieldOf(name).value, { interval: 5 }).toBe(number)
    }
    await expect.poll(() => edited.map(([name]) => fieldOf(name).value)).toEqual(edited.map(([, number]) => number))
    await expect.element(region('Heating').getByRole('button', { name: 'Save' })).toBeEnabled()
    // By keyboard as well.
    await input(names[0]!).click()
    await userEvent.keyboard('{Control>}a{/Control}450')
    await expect.element(region('Heating').getByText('07:30')).toBeVisible()
  },
)

test('a number that is emptied becomes 0, in the table and on a phone', async () => {
  await openScheduler()
  const [time, temperature] = [input('Heating, Monday, Time 1'), input('Heating, Monday, Temperature 1')]
  await expect.element(time, loading).toBeVisible()
  for (const [field, value] of [
    [time, '390'],
    [temperature, '19.5'],
  ] as const) {
    await field.fill(value)
    await expect.element(field).toHaveValue(value)
    await field.clear()
    await expect.element(field).toHaveValue('0')
    // The value is already 0, so the field must first be rendered empty.
    await field.clear()
    await userEvent.tab()
    await expect.element(field).toHaveValue('0')
  }
  await expect.element(region('Heating').getByText('06:30')).not.toBeInTheDocument()

  await openScheduler(390)
  await expect.element(time, loading).toHaveValue('00:00')
  await time.fill('06:30')
  await temperature.fill('19.5')
  await time.clear()
  await temperature.clear()
  await userEvent.tab()
  await expect.element(time).toHaveValue('00:00')
  await expect.element(temperature).toHaveValue('0 °C')
})
