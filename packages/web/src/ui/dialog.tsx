import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { CSSProperties, FormHTMLAttributes, ReactNode } from 'react'
import { Button, Modal } from '@mantine/core'
import { IconCircleCheckFilled } from '../icons/index.ts'
import { InfoMessage } from './info-message.tsx'
import { fadeAway } from './leaving.ts'
import classes from './dialog.module.css'

interface DialogProps {
  title: string
  onClose: () => void
  /** 600 px, for work. */
  wide?: boolean
  /** A width of its own; half of the page unless given (estate specification, section 9). */
  size?: string | number
  /** While something is on its way the dialog stays. */
  busy?: boolean
  /** Makes the dialog a form, whose button that sends is among the actions. */
  form?: FormHTMLAttributes<HTMLFormElement>
  /** Buttons, the primary one last. */
  actions?: ReactNode
  children: ReactNode
}

/** Half of the page, and on a phone nearly all of it. */
const half = 'max(50vw, min(34rem, 100%))'
/** Pixels of a dialog that asks a question. */
export const questionWidth = 440

/** A dialog: it traps the focus, gives it back, and closes with Escape. */
export function Dialog(props: DialogProps) {
  const { title, onClose, wide = false, size = wide ? 600 : half, busy = false, form, actions, children } = props
  useFocusBack()
  const body = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    // What it stands in comes after it.
    const whole = () => body.current?.closest('[data-dialog]')
    return () => {
      const left = whole()
      if (left) fadeAway(left)
    }
  }, [])
  const parts = (
    <>
      <div className={classes.body} ref={body}>
        {children}
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </>
  )
  return (
    <Modal
      opened
      data-dialog
      onClose={busy ? () => {} : onClose}
      title={title}
      size={size}
      classNames={{ title: classes.title, body: classes.content }}
      returnFocus={false}
      transitionProps={{ duration: 160 }}
    >
      {form ? <form {...form}>{parts}</form> : parts}
    </Modal>
  )
}

/** How many dialogs are open, and where the focus was before the first of them. */
const focus: { open: number; from: Element | undefined } = { open: 0, from: undefined }

/**
 * Gives the focus back to where it was before the dialog opened, or before the one that it follows; to the page where that
 * place is gone, as a deleted row is.
 */
function useFocusBack(): void {
  useEffect(() => {
    focus.from ??= document.activeElement ?? undefined
    count(1)
    return () => {
      count(-1)
      // The dialog lets the focus go only after it has closed, and another one may have followed it by then.
      setTimeout(() => {
        if (focus.open > 0) return
        const place = focus.from instanceof HTMLElement && focus.from.isConnected ? focus.from : undefined
        focus.from = undefined
        ;(place ?? document.getElementById('content'))?.focus({ preventScroll: true })
      })
    }
  }, [])
}

const listeners = new Set<() => void>()

function count(change: 1 | -1): void {
  focus.open += change
  for (const listener of listeners) listener()
}

/** Whether a dialog is open anywhere on the page: what is behind it should not change meanwhile. */
export function useDialogIsOpen(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => focus.open > 0,
  )
}

/** What stands in the way, each in a sentence; nothing when there is nothing. */
export function Problems({ texts }: { texts: readonly string[] }) {
  if (texts.length === 0) return undefined
  return (
    <InfoMessage type="error">
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </InfoMessage>
  )
}

interface ConfirmDialogProps {
  title: string
  /** The word on the button that does it. */
  verb: string
  /** Whether what is asked destroys something. */
  danger?: boolean
  /** Does it; the dialog closes when it resolves to true, and otherwise stays with what is in the way. */
  onConfirm: () => Promise<true | readonly string[]>
  onClose: () => void
  /** What follows when it is done, if not closing. */
  onDone?: () => void
  children: ReactNode
}

/** A question before something that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, verb, danger = false, onConfirm, onClose, onDone = onClose, children } = props
  const [busy, setBusy] = useState(false)
  const [problems, setProblems] = useState<readonly string[]>([])
  const confirm = async () => {
    setBusy(true)
    setProblems([])
    const outcome = await onConfirm()
    setBusy(false)
    if (outcome === true) onDone()
    else setProblems(outcome)
  }
  return (
    <Dialog
      title={title}
      size={questionWidth}
      onClose={onClose}
      busy={busy}
      actions={
        <>
          <Button variant="default" onClick={onClose} disabled={busy} data-autofocus>
            Cancel
          </Button>
          <Button {...(danger ? { style: dangerous } : {})} onClick={() => void confirm()} loading={busy}>
            {verb}
          </Button>
        </>
      }
    >
      {children}
      <Problems texts={problems} />
    </Dialog>
  )
}

/** The style of a button that destroys: the component sets its own colours on the element itself, where a class does not reach. */
export const dangerous = {
  '--button-bg': 'var(--status-failed-text)',
  '--button-hover': 'var(--status-failed-solid)',
  '--button-color': 'var(--surface)',
} as CSSProperties

/** Milliseconds after which a success dialog closes by itself (core specification, section 2.7). */
export const successDialogTime = 1_500

interface SuccessDialogProps {
  text: string
  onClose: () => void
  /** Milliseconds until it closes by itself. */
  after?: number
}

/** Says that something worked, and closes by itself. */
export function SuccessDialog({ text, onClose, after = successDialogTime }: SuccessDialogProps) {
  return (
    <Dialog title="Done" onClose={onClose}>
      <Success text={text} onEnd={onClose} after={after} />
    </Dialog>
  )
}

/** The time runs from the moment at which the words are there to be read. */
function Success({ text, onEnd, after }: { text: string; onEnd: () => void; after: number }) {
  useEffect(() => {
    const timer = setTimeout(onEnd, after)
    return () => clearTimeout(timer)
    // oxlint-disable-next-line react/exhaustive-deps -- the time does not begin anew with another drawing
  }, [])
  return (
    <p className={classes.success} role="status">
      <IconCircleCheckFilled size={24} aria-hidden />
      {text}
    </p>
  )
}
