import type { QueryClient } from '@tanstack/react-query'
import {
  autofillReset,
  boilerReset,
  emeredJoinNetwork,
  emeredLeaveNetwork,
  repeaterJoinNetwork,
  repeaterLeaveNetwork,
} from '@caretaker/contract/actions.ts'
import type { Command } from '@caretaker/contract/lighting.ts'
import { getDeviceCommands, runT0Test } from '@caretaker/contract/lighting.ts'
import type { SingleAction } from '@caretaker/rules/actions/actions.ts'
import type { CommandStatus } from '@caretaker/rules/commands/commands.ts'
import { areaOf } from '@caretaker/rules/devices/products.ts'
import { resetFailureText } from '@caretaker/rules/commands/reset.ts'
import { devicePoll } from '@caretaker/rules/devices/list.ts'
import { call } from '../api/call.ts'
import { showError, showProgress, showSuccess } from '../ui/toasts.tsx'
import { failureTexts, somethingWrong } from './failure.ts'
import { refreshTenant } from './refresh.ts'
import type { ActionTarget } from './target.ts'
import { nameOf } from './target.ts'

/** Actions that the device itself carries out and confirms. */
export type CommandAction = Extract<
  SingleAction,
  'flick test' | 'join network' | 'leave network' | 'reset boiler' | 'reset autofill'
>

interface Words {
  /** What it is called while it is on its way. */
  title: string
  /** Said when it is stored. */
  sent?: string
  /** Said when the device has done it. */
  confirmed: (target: ActionTarget) => string
  /** Said when it failed and nobody said why. */
  failed: string
}

const network = (title: string): Words => ({
  title,
  sent: 'Request Successful',
  confirmed: (target) => `${title}: confirmed by ${nameOf(target)}.`,
  failed: somethingWrong,
})

const words: Record<CommandAction, Words> = {
  'flick test': {
    title: 'Flick test',
    sent: 'Flick test queued',
    confirmed: (target) => `Flick test: confirmed by ${nameOf(target)}.`,
    failed: 'The flick test could not be queued.',
  },
  'join network': network('Join Network'),
  'leave network': network('Leave Network'),
  'reset boiler': {
    title: 'Reset boiler',
    confirmed: ({ serialNumber }) => `Boiler reset on ${serialNumber} was successful!`,
    failed: 'Failed to reset Boiler!',
  },
  'reset autofill': {
    title: 'Reset autofill',
    confirmed: ({ serialNumber }) => `Autofill reset on ${serialNumber} was successful!`,
    failed: 'Failed to reset Autofill!',
  },
}

function send(action: CommandAction, tenant: string, { deviceId, product }: ActionTarget) {
  const sent = { body: { tenant, deviceId } }
  const isLight = areaOf(product) === 'lighting'
  switch (action) {
    case 'flick test':
      return call(runT0Test, { form: { tenant, deviceId } })
    case 'join network':
      return call(isLight ? emeredJoinNetwork : repeaterJoinNetwork, sent)
    case 'leave network':
      return call(isLight ? emeredLeaveNetwork : repeaterLeaveNetwork, sent)
    case 'reset boiler':
      return call(boilerReset, sent)
    case 'reset autofill':
      return call(autofillReset, sent)
  }
}

/** Sends a command to a device and says how it fares, until the device has answered or the time for it is over. */
export async function command(
  queryClient: QueryClient,
  tenant: string,
  action: CommandAction,
  target: ActionTarget,
): Promise<void> {
  const { sent, failed, title, confirmed } = words[action]
  const isReset = action === 'reset boiler' || action === 'reset autofill'
  const fail = (texts: readonly unknown[]) => {
    for (const text of texts) showError(resetFailureText(text, failed))
  }
  try {
    const { status, commandId } = await send(action, tenant, target)
    if (status === 'failed') return fail([undefined])
    if (sent) showSuccess(sent)
    await refreshTenant(queryClient, tenant)
    const progress = showProgress(`${title}: ${waiting.queued}`)
    const end = await follow(tenant, target.deviceId, commandId, (text) => progress.update(`${title}: ${text}`))
    progress.end()
    if (end.status === 'confirmed') showSuccess(confirmed(target))
    else if (isReset) fail([end.message ?? (end.status === 'expired' ? ended.expired : undefined)])
    else showError(`${title}: ${end.message ?? ended[end.status]}`)
  } catch (error) {
    const texts = failureTexts(error)
    fail(isReset && texts[0] === somethingWrong ? [undefined] : texts)
  }
  await refreshTenant(queryClient, tenant)
}

const waiting: Record<'queued' | 'sent', string> = {
  queued: 'waiting for the device to be connected.',
  sent: 'sent to the device, which has not answered yet.',
}
const ended: Record<Exclude<CommandStatus, 'queued' | 'sent'>, string> = {
  confirmed: 'confirmed by the device.',
  failed: somethingWrong,
  expired: 'The device did not answer in time. Check its connection and try again.',
}

interface End {
  status: Exclude<CommandStatus, 'queued' | 'sent'>
  message: string | null
}

/** Asks for the command until it has come to an end; one that cannot be asked for ends when its time is over. */
async function follow(tenant: string, deviceId: string, commandId: string, say: (text: string) => void): Promise<End> {
  let known: Command | undefined
  for (;;) {
    const commands = await call(getDeviceCommands, { body: { tenant, deviceId } }).catch(() => undefined)
    known = commands?.find((one) => one.commandId === commandId) ?? known
    if (known && known.status !== 'queued' && known.status !== 'sent')
      return { status: known.status, message: known.message }
    if (known) say(waiting[known.status as 'queued' | 'sent'])
    // Not among the device's last commands, or nobody answers: there is nothing to follow.
    if (!known || Date.parse(known.expiresAt) + 2 * devicePoll < Date.now()) return { status: 'expired', message: null }
    await new Promise((resolve) => setTimeout(resolve, devicePoll))
  }
}
