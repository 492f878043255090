import { topic } from '@caretaker/contract/mqtt/topics.ts'
import type { UpChannel } from '@caretaker/contract/mqtt/topics.ts'
import type { Answering } from './answers.ts'
import { answersIn, otherThan, rehearsal } from './answers.ts'
import { createCommandMemory, readCommand } from './commands.ts'
import type { ReceivedCommand } from './commands.ts'
import { modelOf } from './models/all.ts'
import type { Context, Nature, Outcome, ReplyMessage, Reported, TestMessage } from './models/model.ts'
import { firmware } from './models/signal.ts'
import { fraction, generator } from './random.ts'
import type { Schedule } from './schedule.ts'

/** A running device: it reports on time and carries out commands. */
export interface SimulatedDevice {
  begin(): void
  /** Makes the next report contain the full state, in case the server has lost it. */
  repeat(): void
  receive(payload: string): void
  /** Turns radio silence on or off: a silent device neither sends nor receives. */
  silence(silent: boolean): void
  /** Sends the last messages before the device is switched off. */
  interrupt(): void
}

export interface DeviceOptions {
  nature: Nature
  /** Whether it only reports its presence until it receives a command. */
  isQuiet?: boolean
  /** Seconds between two reports. */
  interval: number
  schedule: Schedule
  clock: () => number
  speed: number
  seed: string
  send: (message: { topic: string; channel: UpChannel; payload: string }) => void
  /**
   * The relays of its property's power switch, shared by all devices of the property. Changes take effect with each device's next
   * step.
   */
  supply?: Record<string, boolean>
}

/** Milliseconds within which all devices of a fleet report for the first time. */
const firstReports = 10_000
/** The same for quiet devices; there may be thousands of them. */
const firstOfQuiet = 120_000
/** The time in ms that a device takes to reply to a command: the minimum, and the most that is added to it. */
const answersAfter = 500
const answersWithin = 2500

/** The time (ms) of the next report: spread over the interval by the device's id, so that a fleet reports evenly. */
export function nextReport(now: number, interval: number, deviceId: string): number {
  const length = interval * 1000
  const phase = fraction(deviceId) * length
  return Math.ceil((now + 1 - phase) / length) * length + phase
}

/** The fields of `now` that differ from the previous report. */
export function changes(now: Reported, before: Reported): Reported {
  return Object.fromEntries(
    Object.entries(now).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key])),
  )
}

export function simulateDevice(options: DeviceOptions): SimulatedDevice {
  const { nature, interval, schedule, clock, speed, seed, supply = {} } = options
  const { deviceId } = nature
  const model = modelOf[nature.model]
  const memory = createCommandMemory()
  // Test ids must differ after a restart; everything else may repeat.
  const random = generator(`${seed} ${deviceId} ${clock()}`)
  let state: unknown
  let stepped: number | undefined
  let reported: Reported = {}
  let silent = false
  let isQuiet = options.isQuiet ?? false
  /** The responses that were set for its next commands. */
  let answers: Answering[] = []
  /** Incremented for each planned step, so that a newer plan replaces an older one. */
  let plan = 0

  const sendOn = (channel: UpChannel, payload: unknown) =>
    options.send({ topic: topic(deviceId, channel), channel, payload: JSON.stringify(payload) })

  function context(): Context {
    const now = clock()
    const elapsed = stepped === undefined ? 0 : Math.max(0, now - stepped) / 1000
    stepped = now
    return { now, elapsed, random, device: nature, speed, supply }
  }

  function planStep(next: number | undefined): void {
    const now = clock()
    const report = nextReport(now, interval, deviceId)
    const mine = ++plan
    schedule.at(next === undefined ? report : Math.min(report, now + next * 1000), () => {
      if (mine === plan) step()
    })
  }

  function publish(outcome: Outcome<unknown>, now: number): void {
    for (const test of outcome.tests ?? []) sendOn('tests', test)
    for (const event of outcome.events) sendOn('events', event)
    const measures = Object.keys(outcome.readings).length > 0
    if (measures) sendOn('telemetry', { ts: now, values: outcome.readings })
    const changed = changes(outcome.reported, reported)
    // A device without measurements repeats its state, to show that it is online.
    const fields = measures ? changed : outcome.reported
    if (Object.keys(fields).length > 0) sendOn('state', fields)
    reported = outcome.reported
  }

  function step(): void {
    // Time passes during silence, so the next step is longer.
    if (silent) return planStep(undefined)
    if (isQuiet) {
      sendOn('state', { firmware: firmware(nature) })
      return planStep(undefined)
    }
    const current = context()
    state ??= model.start(current)
    const outcome = model.step(state, current)
    state = outcome.state
    Object.assign(supply, outcome.supply)
    publish(outcome, current.now)
    planStep(outcome.next)
  }

  function reply(answer: ReplyMessage): void {
    memory.finish(answer)
    sendOn('replies', answer)
  }

  function run(command: ReceivedCommand, { way, seconds }: Answering): void {
    const { commandId, name, expiresAt } = command
    if (silent || (expiresAt <= clock() && seconds === 0)) return memory.forget(commandId)
    if (way === 'silent') return
    if (way === 'refuse') return reply({ commandId, status: 'failed', message: 'Told to refuse' })
    const args = way === 'other' ? otherThan(command.args) : command.args
    if (!args) return reply({ commandId, status: 'confirmed' })
    const handler = model.commands && Object.hasOwn(model.commands, name) ? model.commands[name] : undefined
    if (!handler) return reply({ commandId, status: 'failed', message: `${nature.serial} does not know ${name}` })
    isQuiet = false
    // Advances the model to the present, so that the command starts now.
    step()
    const answer = handler(state, context(), args)
    state = answer.state
    const tests: TestMessage[] = answer.tests ?? []
    for (const test of tests) sendOn('tests', test)
    for (const event of answer.events ?? []) sendOn('events', event)
    const result = {
      commandId,
      status: answer.status,
      ...(answer.message === undefined ? {} : { message: answer.message }),
    }
    reply(result)
    if (way === 'twice') sendOn('replies', result)
    if (answer.next !== undefined) planStep(answer.next)
  }

  return {
    begin() {
      const within = isQuiet ? firstOfQuiet : firstReports
      schedule.at(clock() + fraction(deviceId) * Math.min(within, interval * 1000), step)
    },
    repeat() {
      reported = {}
    },
    receive(payload) {
      const command = silent ? undefined : readCommand(payload)
      if (!command || command.expiresAt <= clock()) return
      const known = memory.find(command.commandId)
      if (known === 'running') return
      if (known !== 'new') return sendOn('replies', known)
      if (command.name === rehearsal) {
        answers = answersIn(command.args) ?? answers
        return
      }
      memory.begin(command.commandId)
      const answer = answers.shift() ?? { way: 'confirm', seconds: 0 }
      schedule.at(clock() + answersAfter + random() * answersWithin + answer.seconds * 1000, () => run(command, answer))
    },
    silence(silenced) {
      silent = silenced
      if (!silent) reported = {}
    },
    interrupt() {
      if (state === undefined || silent) return
      for (const test of model.interrupt?.(state, context()) ?? []) sendOn('tests', test)
    },
  }
}
