import sys,statistics as s
for l in sys.stdin:
    w=l.split()
    if len(w)>3 and w[2]=='peer':
        v=list(map(float,w[3:])); print(f"{w[0]:18s}{w[1]:>9s} median {s.median(v):14.1f} min {min(v):14.1f} n {len(v)}")
    else: print(l.rstrip())
