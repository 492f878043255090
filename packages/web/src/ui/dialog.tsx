import { createContext, useContext, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { CSSProperties, FormEvent, FormHTMLAttributes, ReactNode } from 'react'
import { Button, Modal } from '@mantine/core'
import { useBlocker, useRouter } from '@tanstack/react-router'
import { IconCircleCheckFilled } from '../icons/index.ts'
import { InfoMessage } from './info-message.tsx'
import { fadeAway } from './leaving.ts'
import { countDialogs, openDialogs } from './open-dialogs.ts'
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
  /** What is typed is kept as a draft. Without it the dialog asks before it throws typed text away. */
  keepsDraft?: boolean
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

/** Closes the dialog as Escape does: it asks first where typed text would be lost. */
const CloseContext = createContext<() => void>(() => {})

/** A dialog: it traps the focus, gives it back, and closes with Escape. */
export function Dialog(props: DialogProps) {
  const { title, onClose, wide = false, size = wide ? 600 : half, busy = false, keepsDraft = false } = props
  const { form, actions, children } = props
  useFocusBack()
  const body = useRef<HTMLDivElement>(null)
  const [isTyped, setTyped] = useState(false)
  const [isAsked, setAsked] = useState(false)
  const isAtRisk = isTyped && !keepsDraft && !busy
  const close = () => (isAtRisk ? setAsked(true) : onClose())
  useLayoutEffect(() => {
    // What it stands in comes after it.
    const whole = () => body.current?.closest('[data-dialog]')
    return () => {
      const left = whole()
      if (left) fadeAway(left)
    }
  }, [])
  const parts = (
    <CloseContext value={close}>
      <div
        className={classes.body}
        ref={body}
        onInput={(event) => {
          if (isText(event)) setTyped(true)
        }}
      >
        {children}
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </CloseContext>
  )
  return (
    <>
      <Modal
        opened
        data-dialog
        onClose={busy ? () => {} : close}
        title={title}
        size={size}
        classNames={{ title: classes.title, body: classes.content }}
        returnFocus={false}
        transitionProps={{ duration: 160 }}
      >
        {form ? <form {...form}>{parts}</form> : parts}
      </Modal>
      {isAsked && <DiscardQuestion onClose={() => setAsked(false)} onDone={onClose} />}
      {isAtRisk && <AsksBefore />}
    </>
  )
}

const typedTypes = ['text', 'email', 'tel', 'url', 'number', 'password', 'date']

/** Whether a person has typed text that a dialog would lose: no search or period (`data-choice`), and no choice of a list. */
function isText({ target, currentTarget }: FormEvent<HTMLElement>): boolean {
  // Of another dialog above this one.
  if (!(target instanceof HTMLElement) || !currentTarget.contains(target)) return false
  if (target instanceof HTMLTextAreaElement) return true
  if (!(target instanceof HTMLInputElement) || !typedTypes.includes(target.type)) return false
  return !target.hasAttribute('aria-haspopup') && !target.hasAttribute('data-choice')
}

function DiscardQuestion({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  return (
    <ConfirmDialog
      title="Discard what you have typed?"
      verb="Discard"
      danger
      onConfirm={() => Promise.resolve(true)}
      onDone={onDone}
      onClose={onClose}
    >
      Your entries are not saved and will be lost.
    </ConfirmDialog>
  )
}

/** Asks before Back, or before the page is closed, where there is an address to go back to. */
function AsksBefore() {
  return useRouter({ warn: false }) ? <AsksBeforeBack /> : undefined
}

function AsksBeforeBack() {
  const { status, proceed, reset } = useBlocker({
    // The page itself goes on only once it has sent what was typed.
    shouldBlockFn: ({ action }) => action === 'BACK' || action === 'FORWARD' || action === 'GO',
    enableBeforeUnload: true,
    withResolver: true,
  })
  return status === 'blocked' ? <DiscardQuestion onClose={reset} onDone={proceed} /> : undefined
}

interface CancelButtonProps {
  disabled?: boolean
  /** The focus begins on it. */
  first?: boolean
  label?: string
}

/** The button by which a dialog is left: it asks first where typed text would be lost. */
export function CancelButton({ disabled = false, first = false, label = 'Cancel' }: CancelButtonProps) {
  const close = useContext(CloseContext)
  return (
    <Button variant="default" onClick={close} disabled={disabled} data-autofocus={first || undefined}>
      {label}
    </Button>
  )
}

/** That what is typed is kept as a draft, and the way to discard it. */
export function DraftNote({ onDiscard }: { onDiscard: () => void }) {
  return (
    <span className={classes.draft}>
      Draft saved in this browser
      <button type="button" onClick={onDiscard}>
        Discard draft
      </button>
    </span>
  )
}

/** Where the focus was before the first open dialog. */
let focusedBefore: Element | undefined

/**
 * Gives the focus back to where it was before the dialog opened, or before the one that it follows; to the page where that
 * place is gone, as a deleted row is.
 */
function useFocusBack(): void {
  useEffect(() => {
    focusedBefore ??= document.activeElement ?? undefined
    countDialogs(1)
    return () => {
      countDialogs(-1)
      // The dialog lets the focus go only after it has closed, and another one may have followed it by then.
      setTimeout(() => {
        if (openDialogs() > 0) return
        const place = focusedBefore instanceof HTMLElement && focusedBefore.isConnected ? focusedBefore : undefined
        focusedBefore = undefined
        ;(place ?? document.getElementById('content'))?.focus({ preventScroll: true })
      })
    }
  }, [])
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
          <CancelButton disabled={busy} first />
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
