/** The product's mark: a C around a keyhole. Decorative unless named. */
export function Mark({ size = 32, name }: { size?: number; name?: string }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 32 32"
      role={name ? 'img' : undefined}
      aria-label={name}
      aria-hidden={name ? undefined : true}
      style={{ flex: 'none', display: 'block' }}
    >
      <rect width="32" height="32" rx="8" fill="#2f55c8" />
      <path d="M22.7 10.6a8.6 8.6 0 1 0 0 10.8" fill="none" stroke="#fff" strokeWidth="3.4" strokeLinecap="round" />
      <path d="M16 12.4a2.5 2.5 0 0 1 1.3 4.6l.7 3h-4l.7-3a2.5 2.5 0 0 1 1.3-4.6Z" fill="#ffd27a" />
    </svg>
  )
}
