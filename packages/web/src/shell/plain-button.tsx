import classes from './plain-button.module.css'

interface PlainButtonProps {
  children: string
  onClick?: (() => void) | undefined
  isSecondary?: boolean
  isBusy?: boolean
  className?: string | undefined
}

/** A button without the component library, for screens that are also shown before the application is loaded. */
export function PlainButton({ children, onClick, isSecondary = false, isBusy = false, className }: PlainButtonProps) {
  const names = [classes.button, isSecondary && classes.secondary, className].filter(Boolean)
  return (
    <button type="button" className={names.join(' ')} onClick={onClick} disabled={isBusy} aria-busy={isBusy}>
      {children}
    </button>
  )
}
