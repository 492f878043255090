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
test.describe.configure({ timeout: 480_000 })

const waiting = 'Waiting for device confirmation'
/** A device answers within three seconds, and the page hears of it within three more. */
const answered = { timeout: 30_000 }
/** Seconds, longer than it takes to ask for something and to be told that it expired. */
const lateBy = 25

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
  /** What is measured next, which it shows in; or in words why nothing does. */
  measured: Measured
}

type Measured = string | ((page: Page, turn: Turn, home: Home) => Promise<void>)

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const section = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Sections of this page' }).getByRole('link', { name: new RegExp(`^${name}\\b`) })
const rightNow = (page: Page) => region(page, 'Right now')
const burns = (page: Page) => expect(rightNow(page)).toContainText(/Burner on, \d+ %/, answered)
/** The one turn in which it can be told from what is measured; in the others it asks for less than there is. */
const inThe =
  (when: Turn, look: (page: Page) => Promise<void>): Measured =>
  async (page, turn) => {
    if (turn === when) await look(page)
  }
/** Who asks for everything here. */
const person = 'Ada Marsh'
const asked = `Asked for by ${person} at \\d`
/** What is said of a command that came to nothing. */
const cameToNothing = /Refused at|Expired at|but the device reports|The device reports that|told of no test since/
/** Presses until it is asked for: what stands above it is said in fewer lines by then, and a button that moves may slip away from a press. */
const tryAgain = (at: Locator) =>
  expect(async () => {
    const button = at.getByRole('button', { name: 'Try again' })
    if (await button.isVisible()) await button.click({ timeout: 10_000 })
    await expect(at).not.toContainText(cameToNothing, { timeout: 10_000 })
  }).toPass({ timeout: 60_000 })
const expired = 'Expired at .+: it was sent at .+ and not answered\\.'

interface Setting {
  from: string
  to: string
  /** As the device tells it. */
  told: string
  measured: Measured
  /** What the device takes instead. */
  other: string
  ask: (at: Locator) => Promise<void>
}

function setting(label: string, { from, to, told, measured, other, ask: press }: Setting): Asked {
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
    measured,
    sent: new RegExp(`${waiting}Sent .+ by ${person}\\. The device still reports ${from}\\.`),
    nothing: {
      refuse: new RegExp(`${waiting}Refused at .+: Told to refuse\\. The device still reports ${from}\\. ${asked}`),
      silent: new RegExp(`${waiting}${expired} The device still reports ${from}\\. ${asked}`),
      other: new RegExp(`${waiting}Confirmed at .+, but the device reports ${other}\\. ${asked}`),
    },
    done: async (page) => {
      await expect(at(page).getByText(waiting)).toHaveCount(0, answered)
      await expect(at(page)).toContainText(to)
      const since = new RegExp(`State confirmed${told} since \\d.+, asked for by ${person}`)
      await expect(at(page)).toContainText(since)
      await expect(at(page)).not.toContainText('The device')
    },
  }
}

/** A temperature of the boiler's, in °C: what it reports at first, and what is asked for in each turn. */
const temperature =
  (label: string, values: readonly [number, number, number, number], measured: Measured) =>
  (turn: Turn): Asked => {
    const [from, to] = [values[turn]!, values[turn + 1]!]
    return setting(label, {
      ...{ from: `${from} °C`, to: `${to} °C`, told: `${to} °C`, other: `${to - 3} °C`, measured },
      ask: async (at) => {
        await at.getByRole('button', { name: `Edit ${label}` }).click()
        await at.getByRole('textbox', { name: label }).fill(String(to))
        await at.getByRole('button', { name: 'Save', exact: true }).click()
        await expect(at).toContainText(`${to} °C`)
      },
    })
  }

const toggle =
  (label: string, { call, off, on }: { call: string; off: string; on: string }, measured: Measured) =>
  (turn: Turn): Asked => {
    const isOn = turn === 1
    const [before, after] = isOn ? [on, off] : [off, on]
    return setting(label, {
      ...{ from: isOn ? 'on' : 'off', to: after, told: isOn ? 'Off' : 'On', other: isOn ? 'on' : 'off', measured },
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
  (name: string, first: 'on' | 'off', measured: Measured) =>
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
      measured,
      sent: new RegExp(`${waiting}Sent .+ by ${person}\\. The device still reports ${from}\\.`),
      nothing: {
        refuse: new RegExp(`${waiting}Refused at .+: Told to refuse\\. The device still reports ${from}\\. ${asked}`),
        silent: new RegExp(`${waiting}${expired} The device still reports ${from}\\. ${asked}`),
        other: new RegExp(`${waiting}Confirmed at .+, but the device reports ${from}\\. ${asked}`),
      },
      done: async (page) => {
        const told = `State confirmed${to === 'on' ? 'On' : 'Off'}`
        await expect(at(page)).toContainText(new RegExp(`${told} since \\d.+, asked for by ${person}`), answered)
        await expect(at(page).getByRole('switch')).toBeChecked({ checked: to === 'on' })
      },
    }
  }

/** A lockout is told and reset in the alarm panel, which asks first. */
const reset = (what: 'boiler' | 'autofill', on: Shown, measured: Measured) => (): Asked => {
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
    sent: new RegExp(`Reset sent at .+ by ${person}\\. It stays locked out until the ${what} says otherwise\\.`),
    nothing: {
      refuse: new RegExp(`The ${what} refused the reset by ${person} at .+: Told to refuse\\.`),
      silent: new RegExp(`The ${what} did not answer the reset by ${person}, which expired at`),
      other: new RegExp(`The reset by ${person} at .+ did not help\\.`),
    },
    done: (page) => expect(at(page)).toHaveCount(0, answered),
    measured,
  }
}

interface Ordered {
  ask: (page: Page) => Promise<void>
  /** What is said of a device that says yes and does nothing. */
  other: RegExp
  measured: Measured
}

/** What a person asks of a light or a repeater, told below the head of its page. */
function order(of: Shown, name: string, { ask: press, other, measured }: Ordered): Asked {
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
    measured,
    sent: new RegExp(`${waiting}Sent at .+, not answered yet\\. What was sent cannot be taken back.+${asked}`),
    nothing: { refuse: /Refused at .+: Told to refuse\./, silent: new RegExp(expired), other },
    done: async (page, way) => {
      await expect(at(page)).toContainText(says[way], answered)
      await expect(at(page)).toContainText(/State confirmed|Confirmed by the device/, answered)
      await expect(at(page).getByRole('button')).toHaveCount(0)
      await expect(at(page)).toContainText(new RegExp(asked))
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
      measured: 'its place in the network is a state that it reports, and no reading',
    })
  }

const commands: Record<string, (turn: Turn) => Asked> = {
  // Radiators that are warmer than it may get are given nothing, until it may get more.
  'CH max': temperature('CH max', [60, 52, 58, 46], inThe(1, burns)),
  'DHW set point': temperature('DHW set point', [48, 60, 52, 56], inThe(0, burns)),
  Buzzer: toggle(
    'Buzzer',
    { call: 'ToggleBoilerBuzzer', off: 'Turn buzzer on', on: 'Buzzer is on' },
    'a buzzer is heard by those who are there, and measured by nobody',
  ),
  'CH limit': toggle(
    'CH limit',
    { call: 'ToggleCHAccess', off: 'Limit CH Max', on: 'CH Max Limited' },
    inThe(1, burns),
  ),
  'boiler reset': reset('boiler', 'boiler', async (page) => {
    await burns(page)
    await expect(region(page, 'Reset boiler')).toContainText(new RegExp(asked))
  }),
  // What a heat saviour has switched off takes no electricity.
  'heat saviour': relay('Air source heat pump', 'on', async (page, turn) => {
    const electricity = rightNow(page).locator('dl > div').filter({ hasText: 'Electricity' }).locator('b')
    await (turn === 1
      ? expect(electricity).not.toHaveText('0.00', answered)
      : expect(electricity).toHaveText('0.00', answered))
  }),
  // An immersion heater that it has switched on takes much.
  relay: relay(
    'Immersion heater',
    'off',
    inThe(0, (page) =>
      expect(region(page, 'Electricity in the last 24 hours')).toContainText(/Immersion heater\s*3\skW/, answered),
    ),
  ),
  // It fills the heating, and the tab in which it is shown tells what became of the reset.
  'autofill reset': reset('autofill', 'pump', async (page, _, home) => {
    await section(page, 'Connected Devices').click()
    await page.getByRole('link', { name: new RegExp(home.autofill.serial) }).click()
    await expect(region(page, 'Last readings').locator('dl > div').filter({ hasText: 'Pressure' })).toContainText(
      /1\.[45]\d*\sbar/,
      answered,
    )
    await expect(region(page, 'Reset autofill')).toContainText(new RegExp(`Confirmed by the device.*${asked}`))
    await section(page, 'Info').click()
  }),
  'leave and join': network('light', 'Leave'),
  'flick test': () =>
    order('light', 'Flick test', {
      ask: (page) => page.getByRole('button', { name: 'Flick test' }).click(),
      other: /The light said yes at .+, and has told of no test since\./,
      measured: (page) => expect(region(page, 'Last tests')).toContainText(/T0.*Passed/, answered),
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

/**
 * The boiler and the autofill, set as they are by now and locked out since an hour ago. The home calls for hot water, and then for
 * warm radiators, whatever the hour; it lies so far north that it is cold in any month.
 */
function lockOut({ boiler, autofill }: Home, turn: Turn) {
  const since = { faultSince: Date.now() - 3_600_000, faultEventId: randomUUID() }
  const set = [
    { chMax: 60, dhwSetPoint: 48, buzzer: false, chLimit: false, callsFor: 'hot water', flowTemperature: 62 },
    { chMax: 52, dhwSetPoint: 60, buzzer: true, chLimit: true, callsFor: 'radiators', flowTemperature: 46 },
    { chMax: 58, dhwSetPoint: 52, buzzer: false, chLimit: false, callsFor: 'radiators', flowTemperature: 30 },
  ][turn]
  return simulate([
    { ...boiler, model: 'boiler', product: 'BX', story: 'boiler lockout', traits: { ...set, ...since, latitude: 80 } },
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
    await expect(rightNow(opened.boiler)).toContainText('Burner off, locked out', answered)
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

  const areDone = async (turn: Turn, way: Done) => {
    await onEach(turn, (one, asked) => asked.done(one, way))
    await onEach(turn, async (one, { measured }) => {
      if (typeof measured !== 'string') await measured(one, turn, home)
    })
  }

  await test.step('confirm', async () => {
    await tell('confirm')
    await again()
    await areDone(0, 'confirm')
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
    await areDone(1, 'twice')
  })

  await test.step('late', async () => {
    await lockOutAgain(2)
    await tell({ way: 'late', seconds: lateBy })
    await Promise.all(
      shownOnes.map(async (shown) => {
        const those = inTurn(2).filter(({ on }) => on === shown)
        for (const { of, at, ask: press, sent, nothing } of those) {
          await press(opened[shown], home)
          await expect(at(opened[shown])).toContainText(sent, answered)
          await commandsExpire(home[of].deviceId)
          await expect(at(opened[shown])).toContainText(nothing.silent, answered)
        }
      }),
    )
    // It answers while nobody looks, and whoever comes later is told.
    for (const one of Object.values(opened)) await one.goto(`/${tenant}/support`)
    await areAll(({ lateAnswer }) => lateAnswer === 'confirmed')
    await open(...shownOnes)
    await areDone(2, 'late')
  })

  for (const one of Object.values(above)) await one.end()
  await ended()
  await unlocked()
})
