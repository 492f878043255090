import type { QueryClient } from '@tanstack/react-query'
import {
  autofillReset,
  boilerReset,
  emeredJoinNetwork,
  emeredLeaveNetwork,
  repeaterJoinNetwork,
  repeaterLeaveNetwork,
} from '@caretaker/contract/calls/actions.ts'
import type { Command } from '@caretaker/contract/lighting.ts'
import { getDeviceCommands, runT0Test } from '@caretaker/contract/calls/lighting.ts'
import { singleActionLabels } from '@caretaker/rules/actions/actions.ts'
import type { Ordered } from '@caretaker/rules/actions/operations.ts'
import type { CommandStatus } from '@caretaker/rules/commands/commands.ts'
import { areaOf } from '@caretaker/rules/devices/products.ts'
import { resetFailureText } from '@caretaker/rules/commands/reset.ts'
import { devicePoll } from '@caretaker/rules/devices/list.ts'
import { call, callAt } from '../api/call.ts'
import { settingsQuery } from '../api/settings.ts'
import { showError, showProgress, showSuccess, showWarning } from '../ui/toasts.tsx'
import { failureTexts, somethingWrong } from './failure.ts'
import { openAction } from './open.ts'
import { refreshTenant } from './refresh.ts'
import type { ActionTarget } from './target.ts'
import { nameOf } from './target.ts'

interface Words {
  /** Shown when the command is stored. */
  sent?: string
  /** Shown when the device has confirmed. */
  confirmed: (target: ActionTarget) => string
  /** Shown when the command failed without a reason. */
  failed: string
}

const network = (action: Ordered): Words => ({
  sent: 'Request Successful',
  confirmed: (target) => `${singleActionLabels[action]}: confirmed by ${nameOf(target)}.`,
  failed: somethingWrong,
})

const words: Record<Ordered, Words> = {
  'flick test': {
    sent: 'Flick test queued',
    confirmed: (target) => `Flick test: confirmed by ${nameOf(target)}.`,
    failed: 'The flick test could not be queued.',
  },
  'join network': network('join network'),
  'leave network': network('leave network'),
  'reset boiler': {
    confirmed: ({ serialNumber }) => `Boiler reset on ${serialNumber} was successful!`,
    failed: 'Failed to reset Boiler!',
  },
  'reset autofill': {
    confirmed: ({ serialNumber }) => `Autofill reset on ${serialNumber} was successful!`,
    failed: 'Failed to reset Autofill!',
  },
}

async function send(queryClient: QueryClient, action: Ordered, tenant: string, { deviceId, product }: ActionTarget) {
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
      return callAt((await queryClient.ensureQueryData(settingsQuery)).resetUrl, boilerReset, sent)
    case 'reset autofill':
      return call(autofillReset, sent)
  }
}

/** Starts an action that the device carries out and confirms; a reset asks first. */
export function askOf(queryClient: QueryClient, tenant: string, action: Ordered, target: ActionTarget): void {
  if (action === 'reset boiler' || action === 'reset autofill') openAction({ kind: 'single', action, target })
  else void command(queryClient, tenant, action, target)
}

/** Sends a command to a device and shows its progress until the device has answered or the command has expired. */
export async function command(
  queryClient: QueryClient,
  tenant: string,
  action: Ordered,
  target: ActionTarget,
): Promise<void> {
  const { sent, failed, confirmed } = words[action]
  const title = singleActionLabels[action]
  const isReset = action === 'reset boiler' || action === 'reset autofill'
  const fail = (texts: readonly unknown[]) => {
    for (const text of texts) showError(resetFailureText(text, failed))
  }
  try {
    const asked = await send(queryClient, action, tenant, target)
    if (asked?.status === 'failed') return fail([undefined])
    if (sent) showSuccess(sent)
    await refreshTenant(queryClient, tenant)
    // A separate service has done the reset, so there is no command to follow.
    if (!asked?.commandId) return showSuccess(confirmed(target))
    const { commandId } = asked
    const progress = showProgress(`${title}: ${waiting.queued}`)
    const end = await follow(tenant, target.deviceId, commandId, (text) => progress.update(`${title}: ${text}`))
    progress.end()
    if (end.status === 'confirmed') showSuccess(confirmed(target))
    else if (end.status === 'withdrawn') showWarning(`${title}: taken back before it was sent.`)
    else if (isReset) fail([end.message ?? (end.status === 'expired' ? unanswered : undefined)])
    else showError(`${title}: ${end.message ?? (end.status === 'expired' ? unanswered : somethingWrong)}`)
  } catch (error) {
    const texts = failureTexts(error)
    fail(isReset && texts[0] === somethingWrong ? [undefined] : texts)
  }
  await refreshTenant(queryClient, tenant)
}

const waiting: Record<'queued' | 'sent', string> = {
  queued: 'not sent to the device yet.',
  sent: 'sent to the device, which has not answered yet.',
}
const unanswered = 'The device did not answer in time. Check its connection and try again.'

interface End {
  status: Exclude<CommandStatus, 'queued' | 'sent'>
  message: string | null
}

/** Polls the command until it has ended; if it cannot be read, until it has expired. */
async function follow(
  tenant: string,
  deviceId: string,
  commandId: string,
  report: (text: string) => void,
): Promise<End> {
  let known: Command | undefined
  for (;;) {
    const commands = await call(getDeviceCommands, { body: { tenant, deviceId } }).catch(() => undefined)
    known = commands?.find((one) => one.commandId === commandId) ?? known
    if (known && known.status !== 'queued' && known.status !== 'sent')
      return { status: known.status, message: known.message }
    if (known) report(waiting[known.status as 'queued' | 'sent'])
    // The command is not among the device's latest, or the server does not answer: there is nothing to follow.
    if (!known || Date.parse(known.expiresAt) + 2 * devicePoll < Date.now()) return { status: 'expired', message: null }
    await new Promise((resolve) => setTimeout(resolve, devicePoll))
  }
}
