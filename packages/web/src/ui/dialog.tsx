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
  /** 600 px, for larger forms. */
  wide?: boolean
  /** At the right edge over the full height, for a task beside its list. */
  isDrawer?: boolean
  /** A specific width; half of the page by default (estate specification, section 9). */
  size?: string | number
  /** While a request is pending the dialog cannot be closed. */
  busy?: boolean
  /** Typed text is kept as a draft. Otherwise the dialog asks before discarding it. */
  keepsDraft?: boolean
  /** Makes the dialog a form, whose submit button is among the actions. */
  form?: FormHTMLAttributes<HTMLFormElement>
  /** Buttons, the primary one last. */
  actions?: ReactNode
  children: ReactNode
}

/** Half of the page, and on a phone nearly all of it. */
const half = 'max(50vw, min(34rem, 100%))'
/** The width in pixels of a question dialog. */
export const questionWidth = 440

/** Closes the dialog like Escape, asking first if typed text would be lost. */
const CloseContext = createContext<() => void>(() => {})

/** A dialog: it traps and restores the focus, and closes with Escape. */
export function Dialog(props: DialogProps) {
  const { title, onClose, wide = false, size = wide ? 600 : half, busy = false, keepsDraft = false } = props
  const { isDrawer = false, form, actions, children } = props
  useFocusBack()
  const body = useRef<HTMLDivElement>(null)
  const [isTyped, setTyped] = useState(false)
  const [isAsked, setAsked] = useState(false)
  const isAtRisk = isTyped && !keepsDraft && !busy
  const close = () => (isAtRisk ? setAsked(true) : onClose())
  useLayoutEffect(() => {
    // Its container is rendered later.
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
        classNames={{
          title: classes.title,
          body: classes.content,
          ...(isDrawer && { inner: classes.edge, content: classes.drawer }),
        }}
        {...(isDrawer && { centered: false, xOffset: 0, yOffset: 0, radius: 0 })}
        returnFocus={false}
        transitionProps={{ duration: 160, ...(isDrawer && { transition: 'slide-left' as const }) }}
      >
        {form ? <form {...form}>{parts}</form> : parts}
      </Modal>
      {isAsked && <DiscardQuestion onClose={() => setAsked(false)} onDone={onClose} />}
      {isAtRisk && <ConfirmLeave />}
    </>
  )
}

const typedTypes = ['text', 'email', 'tel', 'url', 'number', 'password', 'date']

/**
 * Whether a user has typed text that a dialog would lose: not a search or period (`data-choice`), and not an option.
 */
function isText({ target, currentTarget }: FormEvent<HTMLElement>): boolean {
  // Belongs to another dialog above this one.
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

/** Asks before Back or closing the page, if there is an address to return to. */
function ConfirmLeave() {
  return useRouter({ warn: false }) ? <ConfirmBack /> : undefined
}

function ConfirmBack() {
  const { status, proceed, reset } = useBlocker({
    // The page itself navigates only after it has sent the text.
    shouldBlockFn: ({ action }) => action === 'BACK' || action === 'FORWARD' || action === 'GO',
    enableBeforeUnload: true,
    withResolver: true,
  })
  return status === 'blocked' ? <DiscardQuestion onClose={reset} onDone={proceed} /> : undefined
}

interface CancelButtonProps {
  disabled?: boolean
  /** Has the initial focus. */
  first?: boolean
  label?: string
}

/** The button that closes a dialog, asking first if typed text would be lost. */
export function CancelButton({ disabled = false, first = false, label = 'Cancel' }: CancelButtonProps) {
  const close = useContext(CloseContext)
  return (
    <Button variant="default" onClick={close} disabled={disabled} data-autofocus={first || undefined}>
      {label}
    </Button>
  )
}

/** A notice that typed text is kept as a draft, with a button to discard it. */
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

/** The focused element before the first open dialog. */
let focusedBefore: Element | undefined

/**
 * Restores the focus from before the dialog, or before the one it follows; to the page if that element no longer
 * exists, such as a deleted row.
 */
function useFocusBack(): void {
  useEffect(() => {
    focusedBefore ??= document.activeElement ?? undefined
    countDialogs(1)
    return () => {
      countDialogs(-1)
      // The dialog releases the focus after closing, and another dialog may have opened by then.
      setTimeout(() => {
        if (openDialogs() > 0) return
        const place = focusedBefore instanceof HTMLElement && focusedBefore.isConnected ? focusedBefore : undefined
        focusedBefore = undefined
        ;(place ?? document.getElementById('content'))?.focus({ preventScroll: true })
      })
    }
  }, [])
}

/** The errors, each as a sentence; nothing if there are none. */
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
  /** The text of the action button. */
  verb: string
  /** Whether the action is destructive. */
  danger?: boolean
  /** Performs the action; the dialog closes if it resolves to true, otherwise it shows the errors. */
  onConfirm: () => Promise<true | readonly string[]>
  onClose: () => void
  /** Called on success instead of closing. */
  onDone?: () => void
  children: ReactNode
}

/** A confirmation of an action that cannot be undone. */
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

/** The style of a destructive button: the component sets its colours on the element, which a class cannot override. */
export const dangerous = {
  '--button-bg': 'var(--status-failed-text)',
  '--button-hover': 'var(--status-failed-solid)',
  '--button-color': 'var(--surface)',
} as CSSProperties

/** Milliseconds after which a success dialog closes (core specification, section 2.7). */
export const successDialogTime = 1_500

interface SuccessDialogProps {
  text: string
  onClose: () => void
  /** Milliseconds until it closes. */
  after?: number
}

/** Reports a success and closes automatically. */
export function SuccessDialog({ text, onClose, after = successDialogTime }: SuccessDialogProps) {
  return (
    <Dialog title="Done" onClose={onClose}>
      <Success text={text} onEnd={onClose} after={after} />
    </Dialog>
  )
}

/** The time starts once the text is visible. */
function Success({ text, onEnd, after }: { text: string; onEnd: () => void; after: number }) {
  useEffect(() => {
    const timer = setTimeout(onEnd, after)
    return () => clearTimeout(timer)
    // oxlint-disable-next-line react/exhaustive-deps -- a re-render does not restart the time
  }, [])
  return (
    <p className={classes.success} role="status">
      <IconCircleCheckFilled size={24} aria-hidden />
      {text}
    </p>
  )
}
