import { randomUUID } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import type { Command } from '@caretaker/contract/lighting.ts'
import { getDeviceCommands } from '@caretaker/contract/lighting.ts'
import { act, dialog, headMenu } from './fixtures/actions.ts'
import { ask } from './fixtures/api.ts'
import { newClient } from './fixtures/client.ts'
import type { Credentials } from './fixtures/operator.ts'
import { addDevice } from './fixtures/operator.ts'
import { hold } from './fixtures/portal.ts'
import type { Told, Way } from './fixtures/simulator.ts'
import { simulate, speakAbove } from './fixtures/simulator.ts'
import { expect, test } from './fixtures/test.ts'
import { commandsAge, commandsExpire } from './fixtures/time.ts'

// The ways are gone one after the other, each with all commands at once.
test.describe.configure({ timeout: 300_000 })

const waiting = 'Waiting for device confirmation'
/** A device answers within three seconds, and the page hears of it within three more. */
const answered = { timeout: 30_000 }
/** Longer than it takes to ask for something. */
const lateBy = 15

/** The devices of a home that are told how to answer. */
const kinds = ['boiler', 'autofill', 'pump', 'power', 'light', 'repeater'] as const
type Kind = (typeof kinds)[number]
type Home = Record<Kind, Credentials>
/** Whose pages are open. */
const listings = {
  boiler: 'Boilers',
  pump: 'Boilers',
  light: 'EmergencyLights',
  repeater: 'NetworkingDevices',
} as const
type Shown = keyof typeof listings
const shownOnes = Object.keys(listings) as Shown[]

/** Each is asked for three times: to the one side, back, and to the one side again. */
type Turn = 0 | 1 | 2
/** What comes to nothing. */
type Nothing = Extract<Way, 'refuse' | 'silent' | 'other'>
type Done = Exclude<Way, Nothing>

/** A command as a person asks for it, and what the page says of it. */
interface Asked {
  /** The device that is told. */
  of: Kind
  /** Whose page it is asked for on. */
  on: Shown
  /** Where the page tells how things stand. */
  at: (page: Page) => Locator
  ask: (page: Page, home: Home) => Promise<void>
  again: (page: Page, home: Home) => Promise<void>
  /** What is said while it is on its way. */
  sent: RegExp
  nothing: Record<Nothing, RegExp>
  done: (page: Page, way: Done) => Promise<void>
}

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
/** What is said of a command that came to nothing. */
const cameToNothing = /Refused at|Expired at|but the device reports|The device reports that|told of no test since/
/** Presses until it is asked for: what stands above it is said in fewer lines by then, and a button that moves may slip away from a press. */
const tryAgain = (at: Locator) =>
  expect(async () => {
    const button = at.getByRole('button', { name: 'Try again' })
    if (await button.isVisible()) await button.click({ timeout: 2000 })
    await expect(at).not.toContainText(cameToNothing, { timeout: 3000 })
  }).toPass(answered)
const expired = 'Expired at .+: it was sent at .+ and not answered\\.'

interface Setting {
  from: string
  to: string
  /** What the device takes instead. */
  other: string
  ask: (at: Locator) => Promise<void>
}

function setting(label: string, { from, to, other, ask: press }: Setting): Asked {
  const at = (page: Page) =>
    region(page, 'Heating settings')
      .locator('dl > div')
      .filter({ has: page.locator('dt').getByText(label, { exact: true }) })
  return {
    of: 'boiler',
    on: 'boiler',
    at,
    ask: (page) => press(at(page)),
    again: (page) => tryAgain(at(page)),
    sent: new RegExp(`${waiting}Sent .+ The device still reports ${from}\\.`),
    nothing: {
      refuse: new RegExp(`${waiting}Refused at .+: Told to refuse\\. The device still reports ${from}\\.`),
      silent: new RegExp(`${waiting}${expired} The device still reports ${from}\\.`),
      other: new RegExp(`${waiting}Confirmed at .+, but the device reports ${other}\\.`),
    },
    done: async (page) => {
      await expect(at(page).getByText(waiting)).toHaveCount(0, answered)
      await expect(at(page)).toContainText(to)
      await expect(at(page)).not.toContainText('The device')
    },
  }
}

/** A temperature of the boiler's, in °C: what it reports at first, and what is asked for in each turn. */
const temperature =
  (label: string, values: readonly [number, number, number, number]) =>
  (turn: Turn): Asked => {
    const [from, to] = [values[turn]!, values[turn + 1]!]
    return setting(label, {
      ...{ from: `${from} °C`, to: `${to} °C`, other: `${to - 3} °C` },
      ask: async (at) => {
        await at.getByRole('button', { name: `Edit ${label}` }).click()
        await at.getByRole('textbox', { name: label }).fill(String(to))
        await at.getByRole('button', { name: 'Save', exact: true }).click()
        await expect(at).toContainText(`${to} °C`)
      },
    })
  }

const toggle =
  (label: string, { call, off, on }: { call: string; off: string; on: string }) =>
  (turn: Turn): Asked => {
    const isOn = turn === 1
    const [before, after] = isOn ? [on, off] : [off, on]
    return setting(label, {
      ...{ from: isOn ? 'on' : 'off', to: after, other: isOn ? 'on' : 'off' },
      ask: async (at) => {
        const button = at.locator('button[aria-pressed]')
        await expect(button).toHaveText(before)
        await expect(button).toHaveAttribute('aria-pressed', String(isOn))
        const release = await hold(at.page(), `**/api/${call}`)
        await button.click()
        await expect(button).toHaveText('Sending ...')
        release()
        await expect(button).toHaveText(after)
        await expect(button).toHaveAttribute('aria-pressed', String(!isOn))
      },
    })
  }

/** A relay of the heat saviour, which asks before it switches. */
const relay =
  (name: string, first: 'on' | 'off') =>
  (turn: Turn): Asked => {
    const opposite = { on: 'off', off: 'on' } as const
    const from = turn === 1 ? opposite[first] : first
    const to = opposite[from]
    const at = (page: Page) => region(page, 'Heat saviour').getByRole('group', { name })
    return {
      of: 'power',
      on: 'pump',
      at,
      ask: async (page) => {
        await at(page).locator('label').first().click()
        const asked = dialog(page, `Turn ${to} the ${name.toLowerCase()}?`)
        await asked.getByRole('button', { name: `Turn ${to}` }).click()
        await expect(asked).toHaveCount(0)
      },
      again: (page) => tryAgain(at(page)),
      sent: new RegExp(`${waiting}Sent .+ The device still reports ${from}\\.`),
      nothing: {
        refuse: new RegExp(`${waiting}Refused at .+: Told to refuse\\. The device still reports ${from}\\.`),
        silent: new RegExp(`${waiting}${expired} The device still reports ${from}\\.`),
        other: new RegExp(`${waiting}Confirmed at .+, but the device reports ${from}\\.`),
      },
      done: async (page) => {
        await expect(at(page)).toContainText(`State confirmed${to === 'on' ? 'On' : 'Off'} since `, answered)
        await expect(at(page).getByRole('switch')).toBeChecked({ checked: to === 'on' })
      },
    }
  }

/** A lockout is told and reset in the alarm panel, which asks first. */
const reset = (what: 'boiler' | 'autofill', on: Shown) => (): Asked => {
  const at = (page: Page) => region(page, 'Alarm')
  const press = async (page: Page, home: Home, name: string) => {
    await at(page).getByRole('button', { name }).click(answered)
    const asked = dialog(page, `Reset ${what} ${home[what].serial}`)
    await asked.getByRole('button', { name: `Reset ${what}` }).click()
    await expect(asked).toHaveCount(0)
  }
  return {
    of: what,
    on,
    at,
    ask: (page, home) => press(page, home, `Reset ${what}`),
    again: (page, home) => press(page, home, 'Reset again'),
    sent: new RegExp(`Reset sent at .+ It stays locked out until the ${what} says otherwise\\.`),
    nothing: {
      refuse: new RegExp(`The ${what} refused the reset at .+: Told to refuse\\.`),
      silent: new RegExp(`The ${what} did not answer the reset, which expired at`),
      other: /The reset at .+ did not help\./,
    },
    done: (page) => expect(at(page)).toHaveCount(0, answered),
  }
}

interface Ordered {
  ask: (page: Page) => Promise<void>
  /** What is said of a device that says yes and does nothing. */
  other: RegExp
  /** What a page shows of it once it is done. */
  effect?: (page: Page) => Promise<void>
}

/** What a person asks of a light or a repeater, told below the head of its page. */
function order(of: Shown, name: string, { ask: press, other, effect }: Ordered): Asked {
  const at = (page: Page) => region(page, name)
  const says = {
    confirm: /Confirmed at/,
    twice: /Confirmed at/,
    late: /Expired at .+ At .+ the device answered all the same: it has done it\./,
  }
  return {
    of,
    on: of,
    at,
    ask: press,
    again: (page) => tryAgain(at(page)),
    sent: new RegExp(`${waiting}Sent at .+, not answered yet\\. What was sent cannot be taken back`),
    nothing: { refuse: /Refused at .+: Told to refuse\./, silent: new RegExp(expired), other },
    done: async (page, way) => {
      await expect(at(page)).toContainText(says[way], answered)
      await expect(at(page)).toContainText(/State confirmed|Confirmed by the device/, answered)
      await expect(at(page).getByRole('button')).toHaveCount(0)
      await effect?.(page)
    },
  }
}

const network =
  (of: Shown, first: 'Join' | 'Leave') =>
  (turn: Turn): Asked => {
    const joins = (first === 'Join') === (turn !== 1)
    const name = joins ? 'Join Network' : 'Leave Network'
    return order(of, name, {
      ask: (page) => act(page, headMenu(page), name),
      other: new RegExp(`Confirmed at .+The device reports that it is ${joins ? 'not in' : 'in'} the network\\.`),
    })
  }

const commands: Record<string, (turn: Turn) => Asked> = {
  'CH max': temperature('CH max', [60, 52, 58, 46]),
  'DHW set point': temperature('DHW set point', [52, 48, 60, 50]),
  Buzzer: toggle('Buzzer', { call: 'ToggleBoilerBuzzer', off: 'Turn buzzer on', on: 'Buzzer is on' }),
  'CH limit': toggle('CH limit', { call: 'ToggleCHAccess', off: 'Limit CH Max', on: 'CH Max Limited' }),
  'boiler reset': reset('boiler', 'boiler'),
  'heat saviour': relay('Air source heat pump', 'on'),
  relay: relay('Immersion heater', 'off'),
  'autofill reset': reset('autofill', 'pump'),
  'leave and join': network('light', 'Leave'),
  'flick test': () =>
    order('light', 'Flick test', {
      ask: (page) => page.getByRole('button', { name: 'Flick test' }).click(),
      other: /The light said yes at .+, and has told of no test since\./,
      effect: (page) => expect(region(page, 'Last tests')).toContainText(/T0.*Passed/, answered),
    }),
  'join and leave': network('repeater', 'Join'),
}
const inTurn = (turn: Turn): Asked[] => Object.values(commands).map((command) => command(turn))

/** One home; its gateway, and the extender through which the power switch and the autofill of its heat pump are connected. */
async function addHome(tenant: string) {
  const gateway = await addDevice(tenant, '--product', 'MG')
  const below = (parent: Credentials, product: string) =>
    addDevice(tenant, '--product', product, '--parent', parent.serial)
  const [boiler, light, repeater, pump] = await Promise.all(
    ['BX', 'EM', 'ZR', 'ASHP'].map((product) => below(gateway, product)),
  )
  const extender = await below(pump!, 'ZR')
  const [power, autofill] = await Promise.all(['PS', 'AF'].map((product) => below(extender, product)))
  const home = { boiler, light, repeater, pump, power, autofill } as Home
  return { home, gateway, extender }
}

/** The devices that nothing locks out. */
const bringToLife = ({ pump, power, light, repeater }: Home) =>
  simulate([
    { ...pump, model: 'airSourceHeatPump', product: 'ASHP' },
    { ...power, model: 'powerSwitch', product: 'PS', traits: { relay2: false } },
    { ...light, model: 'emered', product: 'EM' },
    { ...repeater, model: 'gateway', product: 'ZR', traits: { networkJoined: false } },
  ])

/** The boiler and the autofill, set as they are by now and locked out since an hour ago. */
function lockOut({ boiler, autofill }: Home, turn: Turn) {
  const since = { faultSince: Date.now() - 3_600_000, faultEventId: randomUUID() }
  const set = [
    { chMax: 60, dhwSetPoint: 52, buzzer: false, chLimit: false },
    { chMax: 52, dhwSetPoint: 48, buzzer: true, chLimit: true },
    { chMax: 58, dhwSetPoint: 60, buzzer: false, chLimit: false },
  ][turn]
  return simulate([
    { ...boiler, model: 'boiler', product: 'BX', story: 'boiler lockout', traits: { ...set, ...since } },
    {
      ...{ ...autofill, model: 'autofill', product: 'AF', story: 'failed autofill' },
      traits: { ...since, faultEventId: randomUUID() },
    },
  ])
}

test('each command to a device that confirms, refuses, stays silent, answers late, twice or with another value is told as what it is, and what was done shows in what is measured next [dev-4heat-7 dev-4heat-8 dev-4heat-9 dev-4heat-10 dev-4heat-11 dev-4heat-12]', async ({
  page,
}) => {
  const { tenant } = await newClient(page, 'Answering Homes')
  const { home, gateway, extender } = await addHome(tenant)
  const ended = bringToLife(home)
  let unlocked = lockOut(home, 0)
  const above = { gateway: await speakAbove(gateway), extender: await speakAbove(extender) }
  const ids = kinds.map((kind) => home[kind].deviceId)

  const opened = { boiler: page } as Record<Shown, Page>
  const open = async (...those: Shown[]) => {
    for (const shown of those) {
      opened[shown] ??= await page.context().newPage()
      await opened[shown].goto(`/${tenant}/${listings[shown]}/${home[shown].deviceId}`)
    }
  }
  /** Page beside page, and on each one after the other. */
  const onEach = (turn: Turn, look: (one: Page, asked: Asked, name: string) => Promise<void>) =>
    Promise.all(
      shownOnes.map(async (shown) => {
        for (const [name, command] of Object.entries(commands)) {
          const asked = command(turn)
          if (asked.on === shown) await look(opened[shown], asked, name)
        }
      }),
    )
  const tell = async (told: Told) => {
    for (const kind of kinds) {
      const by = kind === 'power' || kind === 'autofill' ? above.extender : above.gateway
      const count = inTurn(0).filter(({ of }) => of === kind).length
      await by.rehearse(home[kind].deviceId, Array<Told>(count).fill(told))
    }
  }
  /** As many commands as there are have come so far. */
  const areAll = (isSo: (command: Command) => boolean) =>
    expect
      .poll(async () => {
        const told = ids.map((deviceId) => ask(page, getDeviceCommands, { body: { tenant, deviceId } }))
        return (await Promise.all(told)).flatMap(({ data }) => data as Command[]).filter(isSo).length
      }, answered)
      .toBe(inTurn(0).length)
  const isSaid = (turn: Turn, nothing: Nothing) =>
    onEach(turn, (one, asked) => expect(asked.at(one)).toContainText(asked.nothing[nothing], answered))
  const again = (takenBack?: string) =>
    onEach(0, (one, asked, name) => (name === takenBack ? asked.ask(one, home) : asked.again(one, home)))
  const ready = async () => {
    for (const { of, on, at } of inTurn(0))
      if (of === 'power' || of === 'autofill') await expect(at(opened[on])).toBeVisible(answered)
    await expect(region(opened.boiler, 'Alarm')).toBeVisible(answered)
    for (const shown of shownOnes)
      await expect(opened[shown].getByRole('main').getByText('Connected', { exact: true }).first()).toBeVisible(
        answered,
      )
  }

  await open(...shownOnes)
  await ready()

  await test.step('refuse', async () => {
    await tell('refuse')
    await onEach(0, (one, asked) => asked.ask(one, home))
    await isSaid(0, 'refuse')
    // Taken back it is as the device reports it, until somebody asks again.
    const [chMax, join] = [commands['CH max']!(0), commands['join and leave']!(0)]
    for (const { on, at } of [chMax, join]) {
      await at(opened[on]).getByRole('button', { name: 'Take back' }).click()
      await expect(at(opened[on]).getByText(waiting)).toHaveCount(0)
    }
    await expect(chMax.at(opened.boiler)).toContainText('60 °C')
    await expect(join.at(opened.repeater)).toContainText(/Refused at .+ Taken back at .+ by Ada Marsh\./)
  })

  await test.step('silent', async () => {
    await tell('silent')
    await again('CH max')
    await onEach(0, (one, { at, sent }) => expect(at(one)).toContainText(sent, answered))
    await commandsExpire(...ids)
    await isSaid(0, 'silent')
  })

  await test.step('another value', async () => {
    await tell('other')
    await again()
    await areAll(({ status }) => status === 'confirmed')
    for (const { on, at, sent } of [commands['boiler reset']!(0), commands['autofill reset']!(0)])
      await expect(at(opened[on])).toContainText(sent)
    // A reset has a minute to help.
    await commandsAge(ids, 1)
    await open('boiler', 'pump')
    await isSaid(0, 'other')
  })

  const electricity = () => region(opened.pump, 'Right now').locator('dl > div').filter({ hasText: 'Electricity' })

  await test.step('confirm', async () => {
    await expect(electricity().locator('b')).not.toHaveText('0.00')
    await tell('confirm')
    await again()
    await onEach(0, (one, asked) => asked.done(one, 'confirm'))
    // What a heat saviour has switched off takes no electricity, and an immersion heater that it has switched on much.
    await expect(electricity().locator('b')).toHaveText('0.00', answered)
    await expect(region(opened.pump, 'Electricity in the last 24 hours')).toContainText(
      /Immersion heater\s*3\skW/,
      answered,
    )
  })

  const lockOutAgain = async (turn: Turn) => {
    await unlocked()
    await commandsAge(ids, 300)
    unlocked = lockOut(home, turn)
    await open('boiler', 'pump')
    await ready()
  }

  await test.step('twice', async () => {
    await lockOutAgain(1)
    await tell('twice')
    await onEach(1, (one, asked) => asked.ask(one, home))
    await onEach(1, (one, asked) => asked.done(one, 'twice'))
    await expect(electricity().locator('b')).not.toHaveText('0.00', answered)
  })

  await test.step('late', async () => {
    await lockOutAgain(2)
    await tell({ way: 'late', seconds: lateBy })
    await Promise.all(
      shownOnes.map(async (shown) => {
        const those = inTurn(2).filter(({ on }) => on === shown)
        for (const { of, at, ask: press, sent } of those) {
          await press(opened[shown], home)
          await expect(at(opened[shown])).toContainText(sent, answered)
          await commandsExpire(home[of].deviceId)
        }
        for (const { at, nothing } of those) await expect(at(opened[shown])).toContainText(nothing.silent, answered)
      }),
    )
    // It answers while nobody looks, and whoever comes later is told.
    for (const one of Object.values(opened)) await one.goto(`/${tenant}/support`)
    await areAll(({ lateAnswer }) => lateAnswer === 'confirmed')
    await open(...shownOnes)
    await onEach(2, (one, asked) => asked.done(one, 'late'))
    await expect(electricity().locator('b')).toHaveText('0.00', answered)
  })

  for (const one of Object.values(above)) await one.end()
  await ended()
  await unlocked()
})
