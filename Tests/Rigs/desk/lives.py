def try_devices(o): pass
def try_keys(o): pass
def watch_memory(o): pass
